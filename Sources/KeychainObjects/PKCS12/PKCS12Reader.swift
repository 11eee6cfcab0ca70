// SPDX-License-Identifier: Apache-2.0

#if PKCS12
import CKeychainLibCrypto
import FoundationEssentials
import KeychainModel

/// Reads a PKCS #12 file part by part, with a limit on key derivation.
///
/// It is used instead of OpenSSL's `PKCS12_parse`, which does not limit the derivation rounds and returns only
/// one key and one label.
struct PKCS12Reader {
    private static let maximumSize = 16 * 1024 * 1024
    private static let maximumDepth = 4

    private var passphrase: Passphrase
    private var isAuthenticated = false
    private var limit = WorkLimit()
    private var bags = 0
    private var archive = PKCS12Archive(keys: [], certificates: [])

    static func read(_ file: Data, passphrase: SharedBytes) throws(StatusError) -> PKCS12Archive {
        guard !file.isEmpty, file.count <= maximumSize else { throw malformed }
        return try LibCrypto.clearingErrors { () throws(StatusError) in
            let opened = unsafe try parsed(file)
            defer { unsafe PKCS12_free(opened) }
            return try Passphrase.with(passphrase) { passphrase throws(StatusError) in
                var reader = Self(passphrase: passphrase)
                try unsafe reader.authenticate(opened)
                try unsafe reader.readSafes(of: opened)
                return reader.archive
            }
        }
    }

    private init(passphrase: Passphrase) { self.passphrase = passphrase }

    private static var malformed: StatusError { StatusError(.undecodable, .malformedArchive) }

    /// The error for a failed decryption.
    ///
    /// If the passphrase has authenticated the file, the error says that the file is malformed; otherwise it says that
    /// the passphrase is wrong.
    private var undecryptable: StatusError {
        isAuthenticated ? Self.malformed : StatusError(.authenticationFailed, .wrongPassphrase)
    }

    private static func parsed(_ file: Data) throws(StatusError) -> OpaquePointer {
        // Create the object first, because everything unpacked from it inherits its library context.
        guard let context = LibCrypto.context, let fresh = unsafe PKCS12_init_ex(NID_pkcs7_data, context, nil)
        else { throw StatusError(.allocation) }
        var object: OpaquePointer? = unsafe fresh
        let read = unsafe file.withUnsafeBytes { bytes in
            unsafe LibCrypto.decoded(bytes) {
                unsafe d2i_PKCS12(&object, $0, $1)
            } free: {
                unsafe PKCS12_free($0)
            }
        }
        // On failure `d2i` has already freed the object.
        guard let read = unsafe read else { throw malformed }
        return unsafe read
    }

    // MARK: Authentication

    private mutating func authenticate(_ file: OpaquePointer) throws(StatusError) {
        guard unsafe PKCS12_mac_present(file) == 1 else { return }
        var method: UnsafePointer<X509_ALGOR>?
        var number: UnsafePointer<ASN1_INTEGER>?
        unsafe PKCS12_get0_mac(nil, &method, nil, &number, file)
        // PBMAC1 stores its round count in another field, which is not counted here, so a file with it is rejected.
        guard let method = unsafe method, unsafe OBJ_obj2nid(method.pointee.algorithm) != NID_pbmac1 else {
            throw Self.malformed
        }
        // If the file does not state the number of derivation rounds, it is 1.
        let rounds = unsafe number.map { unsafe Int(ASN1_INTEGER_get($0)) } ?? 1
        try limit.take(rounds)
        if unsafe PKCS12_verify_mac(file, passphrase.pointer, passphrase.length) == 1 {
            isAuthenticated = true
            return
        }
        if passphrase.length == 0 {
            try limit.take(rounds)
            if unsafe PKCS12_verify_mac(file, nil, 0) == 1 {
                // Try both: an absent and an empty passphrase derive different keys, and writers confuse them.
                passphrase.isAbsent = true
                isAuthenticated = true
                return
            }
        }
        throw StatusError(.authenticationFailed, .wrongPassphrase)
    }

    // MARK: Parts

    private mutating func readSafes(of file: OpaquePointer) throws(StatusError) {
        guard let safes = unsafe PKCS12_unpack_authsafes(file) else { throw Self.malformed }
        defer {
            unsafe OPENSSL_sk_pop_free(safes) { unsafe PKCS7_free($0?.assumingMemoryBound(to: PKCS7.self)) }
        }
        let parts = unsafe LibCrypto.members(of: safes)
        for index in 0..<(unsafe parts.count) {
            let safe = unsafe parts[index]
            let content = unsafe try unpacked(UnsafeMutablePointer<PKCS7>(safe))
            defer {
                unsafe OPENSSL_sk_pop_free(content) {
                    unsafe PKCS12_SAFEBAG_free($0.map { OpaquePointer($0) })
                }
            }
            try unsafe readBags(content, depth: 0)
        }
    }

    /// Returns the bags of one part of the file; most bags contain a key or a certificate, and its attributes.
    ///
    /// Throws for a part encrypted with a public key: omitting it silently would lose keys.
    private mutating func unpacked(
        _ safe: UnsafeMutablePointer<PKCS7>
    ) throws(StatusError) -> OpaquePointer {
        switch unsafe OBJ_obj2nid(safe.pointee.type) {
        case NID_pkcs7_data:
            guard unsafe safe.pointee.d.data != nil, let bags = unsafe PKCS12_unpack_p7data(safe) else {
                throw Self.malformed
            }
            return unsafe bags
        case NID_pkcs7_encrypted:
            // Some OpenSSL versions crash if the encrypted content is absent.
            guard let content = unsafe safe.pointee.d.encrypted?.pointee.enc_data,
                unsafe content.pointee.enc_data != nil
            else { throw Self.malformed }
            try unsafe limit.take(content.pointee.algorithm)
            guard let bags = unsafe PKCS12_unpack_p7encdata(safe, passphrase.pointer, passphrase.length)
            else {
                throw undecryptable
            }
            return unsafe bags
        default: throw Self.malformed
        }
    }

    private mutating func readBags(_ stack: OpaquePointer?, depth: Int) throws(StatusError) {
        guard depth < Self.maximumDepth else { throw Self.malformed }
        let members = unsafe LibCrypto.members(of: stack)
        for index in 0..<(unsafe members.count) {
            let bag = unsafe members[index]
            bags += 1
            guard bags <= PKCS12Archive.maximumBags else { throw StatusError(.undecodable, .tooMuchWork) }
            switch unsafe PKCS12_SAFEBAG_get_nid(bag) {
            case NID_keyBag: try unsafe addKey(PKCS12_SAFEBAG_get0_p8inf(bag), of: bag)
            case NID_pkcs8ShroudedKeyBag: try unsafe addShroudedKey(of: bag)
            case NID_certBag: try unsafe addCertificate(of: bag)
            case NID_safeContentsBag: try unsafe readBags(PKCS12_SAFEBAG_get0_safes(bag), depth: depth + 1)
            default: break
            }
        }
    }

    private mutating func addShroudedKey(of bag: OpaquePointer) throws(StatusError) {
        var method: UnsafePointer<X509_ALGOR>?
        unsafe X509_SIG_get0(PKCS12_SAFEBAG_get0_pkcs8(bag), &method, nil)
        try unsafe limit.take(method)
        let key = unsafe PKCS12_decrypt_skey_ex(
            bag,
            passphrase.pointer,
            passphrase.length,
            LibCrypto.context,
            nil
        )
        guard let key = unsafe key else { throw undecryptable }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(key) }
        try unsafe addKey(key, of: bag)
    }

    private mutating func addKey(_ key: OpaquePointer?, of bag: OpaquePointer) throws(StatusError) {
        guard let key = unsafe key else { throw Self.malformed }
        archive.keys.append(
            .init(
                pkcs8: try unsafe LibCrypto.encoded { unsafe i2d_PKCS8_PRIV_KEY_INFO(key, $0) },
                label: unsafe label(of: bag),
                localKeyID: unsafe localKeyID(of: bag)
            )
        )
    }

    private mutating func addCertificate(of bag: OpaquePointer) throws(StatusError) {
        // Skip certificates of other types than X.509, like OpenSSL.
        guard unsafe PKCS12_SAFEBAG_get_bag_nid(bag) == NID_x509Certificate else { return }
        guard let certificate = unsafe PKCS12_SAFEBAG_get1_cert(bag) else { throw Self.malformed }
        defer { unsafe X509_free(certificate) }
        let der = try unsafe LibCrypto.encoded { unsafe i2d_X509(certificate, $0) }
        archive.certificates.append(
            .init(der: der.data, label: unsafe label(of: bag), localKeyID: unsafe localKeyID(of: bag))
        )
    }

    // MARK: Attributes

    private func label(of bag: OpaquePointer) -> String? {
        // OpenSSL's own conversion has had out-of-bounds writes, so the string is decoded here.
        guard let attribute = unsafe PKCS12_SAFEBAG_get0_attr(bag, NID_friendlyName),
            unsafe attribute.pointee.type == V_ASN1_BMPSTRING,
            let bytes = unsafe LibCrypto.data(attribute.pointee.value.bmpstring),
            bytes.count.isMultiple(of: 2)
        else { return nil }
        let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2)
            .map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return String(validating: units.prefix { $0 != 0 }, as: UTF16.self)
    }

    private func localKeyID(of bag: OpaquePointer) -> Data? {
        guard let attribute = unsafe PKCS12_SAFEBAG_get0_attr(bag, NID_localKeyID),
            unsafe attribute.pointee.type == V_ASN1_OCTET_STRING
        else { return nil }
        return unsafe LibCrypto.data(attribute.pointee.value.octet_string)
    }
}
#endif
