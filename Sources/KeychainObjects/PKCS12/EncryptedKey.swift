// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import KeychainModel

#if PKCS12
import CKeychainLibCrypto
#endif

/// A private key encrypted with a passphrase: PKCS #8 EncryptedPrivateKeyInfo.
///
/// OpenSSL does the encryption. Without the package trait `PKCS12` both functions throw
/// ``KeychainModel/Status/unimplemented``.
///
/// Source: RFC 5208, RFC 8018.
package enum EncryptedKey {
    /// Decrypts a key.
    ///
    /// - Parameters:
    ///   - file: The DER of an EncryptedPrivateKeyInfo, at most 64 KiB.
    ///   - passphrase: The passphrase.
    /// - Returns: The key as PKCS #8 in DER.
    /// - Throws: `authenticationFailed` if the passphrase is wrong or the ciphertext is damaged;
    ///   `undecodable` if the structure is malformed or too large, its encryption is not supported, or it has too many
    ///   derivation rounds; `invalidParameter` if the passphrase has more than 1,024 bytes.
    package static func open(_ file: Data, passphrase: SharedBytes) throws(StatusError) -> SharedBytes {
        #if PKCS12
        guard file.count <= 64 * 1024 else { throw StatusError(.undecodable, .malformedArchive) }
        return try LibCrypto.clearingErrors { () throws(StatusError) in
            try Passphrase.with(passphrase) { passphrase throws(StatusError) in
                try decrypt(file, passphrase)
            }
        }
        #else
        throw StatusError(.unimplemented, .pkcs12TraitDisabled)
        #endif
    }

    /// Encrypts a PKCS #8 key with AES-256.
    ///
    /// The key is derived from the passphrase by 100,000 rounds of PBKDF2 with HMAC-SHA-256.
    package static func seal(_ key: SharedBytes, passphrase: SharedBytes) throws(StatusError) -> Data {
        #if PKCS12
        return try LibCrypto.clearingErrors { () throws(StatusError) in
            try Passphrase.with(passphrase) { passphrase throws(StatusError) in
                try encrypt(key, passphrase)
            }
        }
        #else
        throw StatusError(.unimplemented, .pkcs12TraitDisabled)
        #endif
    }

    #if PKCS12
    private static func decrypt(
        _ file: Data,
        _ passphrase: Passphrase
    ) throws(StatusError) -> SharedBytes {
        let opened = unsafe file.withUnsafeBytes { bytes in
            unsafe LibCrypto.decoded(bytes) {
                unsafe d2i_X509_SIG(nil, $0, $1)
            } free: {
                unsafe X509_SIG_free($0)
            }
        }
        guard let opened = unsafe opened else { throw StatusError(.undecodable, .malformedArchive) }
        defer { unsafe X509_SIG_free(opened) }
        var method: UnsafePointer<X509_ALGOR>?
        unsafe X509_SIG_get0(opened, &method, nil)
        var limit = WorkLimit()
        try unsafe limit.take(method)
        let key = unsafe PKCS8_decrypt_ex(
            opened,
            passphrase.pointer,
            passphrase.length,
            LibCrypto.context,
            nil
        )
        // The format has no authentication: a wrong passphrase and a damaged file cannot be distinguished.
        guard let key = unsafe key else { throw StatusError(.authenticationFailed, .wrongPassphrase) }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(key) }
        return try unsafe LibCrypto.encoded { unsafe i2d_PKCS8_PRIV_KEY_INFO(key, $0) }
    }

    private static func encrypt(_ key: SharedBytes, _ passphrase: Passphrase) throws(StatusError) -> Data {
        let info = try unsafe LibCrypto.privateKeyInfo(key)
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        let sealed = unsafe PKCS8_encrypt_ex(
            -1,
            EVP_aes_256_cbc(),
            passphrase.pointer,
            passphrase.length,
            nil,
            0,
            Passphrase.rounds,
            info,
            LibCrypto.context,
            nil
        )
        guard let sealed = unsafe sealed else { throw StatusError(.allocation) }
        defer { unsafe X509_SIG_free(sealed) }
        return try unsafe LibCrypto.encoded { unsafe i2d_X509_SIG(sealed, $0) }.data
    }
    #endif
}
