// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
import CryptoExtras
import FoundationEssentials

/// Encrypts and decrypts the message of a hybrid scheme with AES-GCM and a 16-byte nonce.
///
/// The tag follows the ciphertext. Each key encrypts exactly one message, so a zero nonce is safe.
///
/// Source: the headers of Apple's SDK and Apple's published Security sources.
private enum MessageSeal {
    static let tagByteCount = 16
    static let nonceByteCount = 16
    static let zeroNonce = Data(count: nonceByteCount)

    static func seal(
        _ plaintext: Data,
        under key: SymmetricKey,
        nonce: Data,
        associatedData: Data = Data()
    ) throws -> Data {
        let box = try AES.GCM.seal(
            plaintext,
            using: key,
            nonce: AES.GCM.Nonce(data: nonce),
            authenticating: associatedData
        )
        return box.ciphertext + box.tag
    }

    static func open(
        _ sealed: Data,
        under key: SymmetricKey,
        nonce: Data,
        associatedData: Data = Data()
    ) throws -> Data {
        guard sealed.count >= tagByteCount else { throw AsymmetricKeyError.wrongInput }
        let box = try AES.GCM.SealedBox(
            nonce: AES.GCM.Nonce(data: nonce),
            ciphertext: sealed.dropLast(tagByteCount),
            tag: sealed.suffix(tagByteCount)
        )
        return try AES.GCM.open(box, using: key, authenticating: associatedData)
    }
}

// MARK: ECIES

extension AsymmetricKey {
    /// Encrypts with ECIES; returns the ephemeral public key, the ciphertext and the tag.
    func eciesEncrypt(
        _ plaintext: Data,
        _ hash: Hash?,
        derivesNonce: Bool
    ) throws(AsymmetricKeyError) -> Data {
        guard let curve, let hash, case .ellipticCurve(let recipient) = publicPart else {
            throw .wrongAlgorithm
        }
        let ephemeral = AsymmetricKey(curve, curve.privateKey.generate())
        let point = ephemeral.publicBytes
        let shared = try ephemeral.sharedSecret(with: recipient)
        let (key, nonce) = try shared.sealingKey(on: curve, point, hash, derivesNonce: derivesNonce)
        return try AsymmetricKeyError.catching(.operationFailed) {
            point + (try MessageSeal.seal(plaintext, under: key, nonce: nonce))
        }
    }

    func eciesDecrypt(
        _ ciphertext: Data,
        _ hash: Hash?,
        derivesNonce: Bool
    ) throws(AsymmetricKeyError) -> Data {
        guard let curve, let hash else { throw .wrongAlgorithm }
        guard ciphertext.count >= curve.pointByteCount + MessageSeal.tagByteCount else { throw .wrongInput }
        let point = Data(ciphertext.prefix(curve.pointByteCount))
        return try AsymmetricKeyError.catching(.operationFailed) {
            let shared = try sharedSecret(with: curve.publicKey.key(x963Representation: point))
            let (key, nonce) = try shared.sealingKey(on: curve, point, hash, derivesNonce: derivesNonce)
            return try MessageSeal.open(
                ciphertext.dropFirst(curve.pointByteCount),
                under: key,
                nonce: nonce
            )
        }
    }
}

extension SharedSecret {
    /// Derives the AES key and, if `derivesNonce` is true, the nonce, which is otherwise zero.
    ///
    /// The key has 128 bits for P-256 and 256 bits for larger curves.
    fileprivate func sealingKey(
        on curve: Curve,
        _ point: Data,
        _ hash: Hash,
        derivesNonce: Bool
    ) throws(AsymmetricKeyError) -> (SymmetricKey, nonce: Data) {
        let keyByteCount = curve.bits > 256 ? 32 : 16
        let size = keyByteCount + (derivesNonce ? MessageSeal.nonceByteCount : 0)
        let derived = try derived(by: hash, sharedInformation: point, size: size)
        guard derivesNonce else { return (derived, MessageSeal.zeroNonce) }
        return unsafe derived.withUnsafeBytes { bytes in
            let key = unsafe SymmetricKey(data: UnsafeRawBufferPointer(rebasing: bytes[..<keyByteCount]))
            return unsafe (key, Data(bytes[keyByteCount...]))
        }
    }
}

// MARK: RSA

extension AsymmetricKey {
    private var sessionKeySize: SymmetricKeySize { bits >= 4_096 ? .bits256 : .bits128 }

    /// Encrypts with a random session key, with the RSA public key as associated data.
    ///
    /// The result is the encrypted session key, followed by the ciphertext.
    func encryptWithSessionKey(
        _ plaintext: Data,
        padding: _RSA.Encryption.Padding
    ) throws(AsymmetricKeyError) -> Data {
        let key = SymmetricKey(size: sessionKeySize)
        var bytes = unsafe key.withUnsafeBytes { unsafe Data($0) }
        defer { bytes.erase() }
        let wrapped = try rsaEncrypt(bytes, padding: padding)
        return try AsymmetricKeyError.catching(.operationFailed) {
            wrapped
                + (try MessageSeal.seal(
                    plaintext,
                    under: key,
                    nonce: MessageSeal.zeroNonce,
                    associatedData: publicBytes
                ))
        }
    }

    func decryptWithSessionKey(
        _ ciphertext: Data,
        padding: _RSA.Encryption.Padding
    ) throws(AsymmetricKeyError) -> Data {
        guard ciphertext.count >= blockSize + MessageSeal.tagByteCount else { throw .wrongInput }
        var bytes = try rsaDecrypt(Data(ciphertext.prefix(blockSize)), padding: padding)
        defer { bytes.erase() }
        guard bytes.count * 8 == sessionKeySize.bitCount else { throw .operationFailed }
        let key = SymmetricKey(data: bytes)
        return try AsymmetricKeyError.catching(.operationFailed) {
            try MessageSeal.open(
                ciphertext.dropFirst(blockSize),
                under: key,
                nonce: MessageSeal.zeroNonce,
                associatedData: publicBytes
            )
        }
    }
}
#endif
