// SPDX-License-Identifier: Apache-2.0

#if Objects
import CryptoExtras
package import FoundationEssentials

extension AsymmetricKey {
    /// Encrypts with the public key.
    ///
    /// - Throws: `wrongInput` if the plaintext is too long for the padding; `wrongAlgorithm` if this key does not
    ///   support the algorithm; `algorithmNotImplemented` if this package does not implement it; `operationFailed` for
    ///   any other failure.
    package func encrypt(
        _ plaintext: Data,
        by algorithm: KeyAlgorithm
    ) throws(AsymmetricKeyError) -> Data {
        try check(.encrypt, algorithm)
        switch algorithm.task {
        case .encrypt(.ecies):
            return try eciesEncrypt(plaintext, algorithm.hash, derivesNonce: false)
        case .encrypt(.eciesWithDerivedNonce):
            return try eciesEncrypt(plaintext, algorithm.hash, derivesNonce: true)
        case .encrypt(.oaepWithGCM):
            return try encryptWithSessionKey(plaintext, padding: algorithm.padding())
        default: return try rsaEncrypt(plaintext, padding: algorithm.padding())
        }
    }

    /// Decrypts with the private key.
    ///
    /// - Throws: `operationFailed` for every failed decryption: distinguishing the causes would create a
    ///   padding oracle. `wrongInput` if the ciphertext has an invalid length; `wrongAlgorithm` if this key does not
    ///   support the algorithm; `algorithmNotImplemented` if this package does not implement it.
    package func decrypt(
        _ ciphertext: Data,
        by algorithm: KeyAlgorithm
    ) throws(AsymmetricKeyError) -> Data {
        try check(.decrypt, algorithm)
        switch algorithm.task {
        case .encrypt(.ecies):
            return try eciesDecrypt(ciphertext, algorithm.hash, derivesNonce: false)
        case .encrypt(.eciesWithDerivedNonce):
            return try eciesDecrypt(ciphertext, algorithm.hash, derivesNonce: true)
        case .encrypt(.oaepWithGCM):
            return try decryptWithSessionKey(ciphertext, padding: algorithm.padding())
        default: return try rsaDecrypt(ciphertext, padding: algorithm.padding())
        }
    }

    /// Encrypts at most one block with RSA.
    func rsaEncrypt(
        _ plaintext: some DataProtocol,
        padding: _RSA.Encryption.Padding
    ) throws(AsymmetricKeyError) -> Data {
        let bytes = publicBytes
        return try AsymmetricKeyError.catching(.operationFailed) {
            let key = try _RSA.Encryption.PublicKey(unsafeDERRepresentation: bytes)
            guard plaintext.count <= key.maximumEncryptSize(with: padding) else {
                throw AsymmetricKeyError.wrongInput
            }
            return try key.encrypt(plaintext, padding: padding)
        }
    }

    func rsaDecrypt(
        _ ciphertext: Data,
        padding: _RSA.Encryption.Padding
    ) throws(AsymmetricKeyError) -> Data {
        guard ciphertext.count == blockSize else { throw .wrongInput }
        var bytes = externalRepresentation
        defer { bytes.erase() }
        return try AsymmetricKeyError.catching(.operationFailed) {
            try _RSA.Encryption.PrivateKey(unsafeDERRepresentation: bytes)
                .decrypt(ciphertext, padding: padding)
        }
    }
}

extension KeyAlgorithm {
    fileprivate func padding() throws(AsymmetricKeyError) -> _RSA.Encryption.Padding {
        switch (task, hash) {
        case (.encrypt(.pkcs1), _): ._WEAK_AND_INSECURE_PKCS_V1_5
        case (.encrypt(.oaep), .sha1), (.encrypt(.oaepWithGCM), .sha1): .PKCS1_OAEP
        case (.encrypt(.oaep), .sha256), (.encrypt(.oaepWithGCM), .sha256): .PKCS1_OAEP_SHA256
        default: throw .algorithmNotImplemented
        }
    }
}
#endif
