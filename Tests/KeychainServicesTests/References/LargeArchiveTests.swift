// SPDX-License-Identifier: Apache-2.0

#if PKCS12
import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// Oversized PKCS #12 files without a passphrase, as an untrusted source might send them.
@Suite struct LargeArchiveTests {
    private let folder: OpenSSLFolder

    init() throws { folder = try OpenSSLFolder() }

    /// Returns what `SecPKCS12Import` and `SecItemImport` find in the file.
    private func imported(_ file: Data) throws -> (dictionaries: [[String: Any]], items: [AnyObject]) {
        var dictionaries: CFArray?
        #expect(SecPKCS12Import(file as CFData, NSDictionary(), &dictionaries) == errSecSuccess)
        var items: CFArray?
        #expect(SecItemImport(file as CFData, nil, nil, nil, [], nil, nil, &items) == errSecSuccess)
        return (try #require(dictionaries as? [[String: Any]]), try #require(items as? [AnyObject]))
    }

    @Test func `duplicates in an archive are imported once`() throws {
        try folder.makeIdentity("alice")
        let key = Archive.keyBag(try folder.openssl("pkcs8 -topk8 -nocrypt -in alice.key -outform DER"))
        let certificate = Archive.certificateBag(try folder.certificate("alice.pem"))
        let bags = Array(repeating: key, count: 500) + Array(repeating: certificate, count: 500)
        let found = try imported(Archive.of(bags))
        #expect(found.dictionaries.count == 1)
        #expect(found.items.count == 1)
        #expect(found.items.first is SecIdentity)
    }

    @Test func `a chain has at most ten certificates`() throws {
        try folder.makeIdentity("alice")
        var bags = [Archive.keyBag(try folder.openssl("pkcs8 -topk8 -nocrypt -in alice.key -outform DER"))]
        for number in 0..<12 {
            try folder.openssl("req -new -key alice.key -out a.csr -subj /CN=\(number)")
            try folder.openssl("req -x509 -new -key alice.key -out issuer.pem -subj /CN=\(number + 1)")
            try folder.openssl("x509 -req -in a.csr -CA issuer.pem -CAkey alice.key -set_serial 7 -out a.pem")
            bags.append(Archive.certificateBag(try folder.certificate("a.pem")))
        }
        let found = try imported(Archive.of(bags))
        #expect(found.dictionaries.count == 3)
        #expect(
            (found.dictionaries.first?[kSecImportItemCertChain as String] as? [SecCertificate])?.count == 10
        )
        // Each of the twelve certificates forms an identity with the only key.
        #expect(found.items.count == 12)
    }
}

/// Builds an unencrypted PKCS #12 file without a MAC; openssl cannot write one with several keys.
private enum Archive {
    static func of(_ bags: [Data]) -> Data {
        let safes = sequence(data(sequence(bags.reduce(Data(), +))))
        return sequence(Data([0x02, 0x01, 0x03]) + data(safes))
    }

    static func keyBag(_ pkcs8: Data) -> Data {
        sequence(
            identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01, 0x01])
                + element(0xA0, pkcs8)
        )
    }

    static func certificateBag(_ der: Data) -> Data {
        let kind = identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x16, 0x01])
        let value = sequence(kind + element(0xA0, element(0x04, der)))
        return sequence(
            identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01, 0x03])
                + element(0xA0, value)
        )
    }

    private static func data(_ content: Data) -> Data {
        sequence(
            identifier([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01])
                + element(0xA0, element(0x04, content))
        )
    }

    private static func sequence(_ content: Data) -> Data { element(0x30, content) }

    private static func identifier(_ content: [UInt8]) -> Data { element(0x06, Data(content)) }

    private static func element(_ tag: UInt8, _ content: Data) -> Data {
        let length = UInt32(content.count)
        let digits = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }.drop { $0 == 0 }
        let header = length < 0x80 ? [UInt8(length)] : [0x80 | UInt8(digits.count)] + digits
        return Data([tag] + header) + content
    }
}
#endif
