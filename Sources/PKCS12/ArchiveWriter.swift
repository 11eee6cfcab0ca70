// SPDX-License-Identifier: Apache-2.0

#if PKCS12
import CLibCrypto
import FoundationEssentials
import KeychainModel

enum ArchiveWriter {
    /// Fifty times what OpenSSL takes by default, and a sixth of what Windows still reads.
    private static let rounds: Int32 = 100_000

    static func file(_ archive: PKCS12Archive, passphrase: SharedSecret) throws(KeychainError) -> Data {
        try check(passphrase)
        return try LibCrypto.cleanly { () throws(KeychainError) in
            guard let leaf = archive.certificates.first else {
                throw KeychainError(.invalidParameter, .malformedArchive)
            }
            let key = unsafe try archive.keys.first.map { key throws(KeychainError) in
                try unsafe pair(key.pkcs8)
            }
            defer { unsafe EVP_PKEY_free(key) }
            let first = try unsafe certificate(leaf.der)
            defer { unsafe X509_free(first) }
            let others = try unsafe stack(of: archive.certificates.dropFirst())
            defer { unsafe free(others) }
            let name = archive.keys.first?.label ?? leaf.label
            return try Passphrase.with(passphrase) { passphrase throws(KeychainError) in
                let file = unsafe PKCS12_create_ex(
                    passphrase.text,
                    name,
                    key,
                    first,
                    others,
                    0,
                    0,
                    rounds,
                    rounds,
                    0,
                    LibCrypto.context,
                    nil
                )
                // It also fails where the key does not belong to the certificate.
                guard let file = unsafe file else {
                    throw KeychainError(.invalidParameter, .malformedArchive)
                }
                defer { unsafe PKCS12_free(file) }
                return try unsafe LibCrypto.encoded { unsafe i2d_PKCS12(file, $0) }.data
            }
        }
    }

    /// `PKCS12_create_ex` alone takes no length: what stands behind a zero would protect nothing.
    private static func check(_ passphrase: SharedSecret) throws(KeychainError) {
        guard unsafe !passphrase.withUnsafeBytes({ unsafe $0.contains(0) }) else {
            throw KeychainError(.invalidParameter, .wrongValueType)
        }
    }

    private static func stack(
        of certificates: ArraySlice<PKCS12Archive.Certificate>
    ) throws(KeychainError) -> OpaquePointer {
        guard let stack = unsafe OPENSSL_sk_new_null() else { throw KeychainError(.allocation) }
        do throws(KeychainError) {
            for entry in certificates {
                let object = try unsafe certificate(entry.der)
                guard unsafe OPENSSL_sk_push(stack, UnsafeRawPointer(object)) > 0 else {
                    unsafe X509_free(object)
                    throw KeychainError(.allocation)
                }
            }
        } catch {
            unsafe free(stack)
            throw error
        }
        return unsafe stack
    }

    private static func free(_ stack: OpaquePointer) {
        unsafe OPENSSL_sk_pop_free(stack) { unsafe X509_free($0.map { OpaquePointer($0) }) }
    }

    private static func pair(_ pkcs8: SharedSecret) throws(KeychainError) -> OpaquePointer {
        let pair = unsafe pkcs8.withUnsafeBytes { bytes -> OpaquePointer? in
            var position = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
            let info = unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &position, bytes.count)
            defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
            return unsafe info.flatMap { unsafe EVP_PKCS82PKEY_ex($0, LibCrypto.context, nil) }
        }
        guard let pair = unsafe pair else { throw KeychainError(.undecodable, .malformedArchive) }
        return unsafe pair
    }

    private static func certificate(_ der: Data) throws(KeychainError) -> OpaquePointer {
        let certificate = unsafe der.withUnsafeBytes { bytes -> OpaquePointer? in
            var position = unsafe bytes.bindMemory(to: UInt8.self).baseAddress
            return unsafe d2i_X509(nil, &position, bytes.count)
        }
        guard let certificate = unsafe certificate else {
            throw KeychainError(.undecodable, .malformedCertificate)
        }
        return unsafe certificate
    }
}
#endif
