// SPDX-License-Identifier: Apache-2.0

#if PKCS12
import CKeychainLibCrypto
import FoundationEssentials
import KeychainModel

/// Serializes an archive, with certificates encrypted as one part and each key encrypted separately.
enum PKCS12Writer {
    static func file(_ archive: PKCS12Archive, passphrase: SharedBytes) throws(StatusError) -> Data {
        try check(passphrase)
        guard !(archive.keys.isEmpty && archive.certificates.isEmpty),
            archive.keys.count <= PKCS12Archive.maximumKeys,
            archive.keys.count + archive.certificates.count <= PKCS12Archive.maximumBags
        else { throw StatusError(.invalidParameter, .malformedArchive) }
        return try LibCrypto.clearingErrors { () throws(StatusError) in
            try Passphrase.with(passphrase) { passphrase throws(StatusError) in
                var parts = Parts()
                if !archive.certificates.isEmpty {
                    var bags = try Bags()
                    for certificate in archive.certificates { try bags.add(certificate) }
                    try parts.add(bags, encryptedUnder: passphrase)
                }
                if !archive.keys.isEmpty {
                    var bags = try Bags()
                    for key in archive.keys { try bags.add(key, encryptedUnder: passphrase) }
                    try parts.add(bags)
                }
                return try parts.file(authenticatedBy: passphrase)
            }
        }
    }

    /// Throws if the passphrase contains a zero byte, where OpenSSL would truncate it.
    private static func check(_ passphrase: SharedBytes) throws(StatusError) {
        guard unsafe !passphrase.withUnsafeBytes({ unsafe $0.contains(0) }) else {
            throw StatusError(.invalidParameter, .wrongValueType)
        }
    }
}

/// Keys and certificates of one part of a file, each in a bag with its label and local key ID, if it has these.
@safe private struct Bags: ~Copyable {
    private let stack: OpaquePointer

    init() throws(StatusError) {
        guard let stack = unsafe OPENSSL_sk_new_null() else { throw StatusError(.allocation) }
        unsafe self.stack = stack
    }

    deinit {
        unsafe OPENSSL_sk_pop_free(stack) { unsafe PKCS12_SAFEBAG_free($0.map { OpaquePointer($0) }) }
    }

    mutating func add(_ certificate: PKCS12Archive.Certificate) throws(StatusError) {
        let parsed = unsafe certificate.der.withUnsafeBytes { bytes in
            unsafe LibCrypto.decoded(bytes) {
                unsafe d2i_X509(nil, $0, $1)
            } free: {
                unsafe X509_free($0)
            }
        }
        guard let parsed = unsafe parsed else { throw StatusError(.undecodable, .malformedCertificate) }
        defer { unsafe X509_free(parsed) }
        try unsafe add(PKCS12_SAFEBAG_create_cert(parsed), certificate.label, certificate.localKeyID)
    }

    mutating func add(
        _ key: PKCS12Archive.PrivateKey,
        encryptedUnder passphrase: Passphrase
    ) throws(StatusError) {
        let parsed = try unsafe LibCrypto.privateKeyInfo(key.pkcs8)
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(parsed) }
        let bag = unsafe PKCS12_SAFEBAG_create_pkcs8_encrypt_ex(
            NID_aes_256_cbc,
            passphrase.pointer,
            passphrase.length,
            nil,
            0,
            Passphrase.rounds,
            parsed,
            LibCrypto.context,
            nil
        )
        try unsafe add(bag, key.label, key.localKeyID)
    }

    /// Adds a bag, taking ownership, with its label and local key ID.
    private func add(_ bag: OpaquePointer?, _ label: String?, _ localKeyID: Data?) throws(StatusError) {
        guard let bag = unsafe bag else { throw StatusError(.invalidParameter, .malformedArchive) }
        guard unsafe OPENSSL_sk_push(stack, UnsafeRawPointer(bag)) > 0 else {
            unsafe PKCS12_SAFEBAG_free(bag)
            throw StatusError(.allocation)
        }
        // The label is a UCS-2 string, so characters outside of UCS-2 are dropped.
        if let label = label.map({ String($0.unicodeScalars.filter { $0.value <= 0xFFFF }) }), !label.isEmpty
        {
            guard unsafe PKCS12_add_friendlyname_utf8(bag, label, Int32(clamping: label.utf8.count)) == 1
            else { throw StatusError(.invalidParameter, .malformedArchive) }
        }
        guard var identifier = localKeyID.map([UInt8].init) else { return }
        guard unsafe PKCS12_add_localkeyid(bag, &identifier, Int32(clamping: identifier.count)) == 1 else {
            throw StatusError(.allocation)
        }
    }

    /// Appends the bags to a file as a new part.
    func append(
        to parts: inout OpaquePointer?,
        method: Int32,
        _ passphrase: Passphrase?
    ) throws(StatusError) {
        let result = unsafe PKCS12_add_safe_ex(
            &parts,
            stack,
            method,
            Passphrase.rounds,
            passphrase?.pointer,
            LibCrypto.context,
            nil
        )
        guard result == 1 else { throw StatusError(.invalidParameter, .malformedArchive) }
    }
}

/// The list of parts of a file to write.
@safe private struct Parts: ~Copyable {
    private var stack: OpaquePointer?

    deinit {
        unsafe OPENSSL_sk_pop_free(stack) { unsafe PKCS7_free($0?.assumingMemoryBound(to: PKCS7.self)) }
    }

    /// Adds bags that are already encrypted individually.
    mutating func add(_ bags: borrowing Bags) throws(StatusError) {
        try unsafe bags.append(to: &stack, method: -1, nil)
    }

    mutating func add(
        _ bags: borrowing Bags,
        encryptedUnder passphrase: Passphrase
    ) throws(StatusError) {
        try unsafe bags.append(to: &stack, method: NID_aes_256_cbc, passphrase)
    }

    /// Returns the file, authenticated with HMAC-SHA-256 over all parts.
    func file(authenticatedBy passphrase: Passphrase) throws(StatusError) -> Data {
        guard let file = unsafe PKCS12_add_safes_ex(stack, 0, LibCrypto.context, nil) else {
            throw StatusError(.allocation)
        }
        defer { unsafe PKCS12_free(file) }
        let isAuthenticated = unsafe PKCS12_set_mac(
            file,
            passphrase.pointer,
            passphrase.length,
            nil,
            0,
            Passphrase.rounds,
            EVP_sha256()
        )
        guard isAuthenticated == 1 else { throw StatusError(.allocation) }
        return try unsafe LibCrypto.encoded { unsafe i2d_PKCS12(file, $0) }.data
    }
}
#endif
