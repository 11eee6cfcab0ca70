// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

@Suite struct PKCS12ImportTests {
    #if PKCS12
    private let folder: OpenSSLFolder

    init() throws { folder = try OpenSSLFolder() }

    private func file(key: String, _ options: String = "") throws -> Data {
        try folder.makeIdentity("alice", key: key)
        try folder.makeIdentity("bob")
        try folder.openssl(
            "pkcs12 -export -inkey alice.key -in alice.pem -out a.p12 -name mine -passout pass:secret \(options)"
        )
        return try folder.read("a.p12")
    }

    @Test(arguments: [
        "rsa:2048", "ec -pkeyopt ec_paramgen_curve:P-256", "ec -pkeyopt ec_paramgen_curve:P-521",
    ])
    func `an identity is imported with other certificates`(key: String) throws {
        let file = try file(key: key, "-certfile bob.pem")
        var items: CFArray?
        let options: [CFString: Any] = [kSecImportExportPassphrase: "secret"]
        #expect(SecPKCS12Import(file as CFData, options as CFDictionary, &items) == errSecSuccess)
        let dictionaries = try #require(items as? [[String: Any]])
        #expect(dictionaries.count == 2)
        let mine = try #require(dictionaries.first)
        let identity = try #require(mine[kSecImportItemIdentity as String] as? SecIdentity)
        var certificate: SecCertificate?
        #expect(SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess)
        let data = try SecCertificateCopyData(#require(certificate)) as Data
        #expect(try data == folder.certificate("alice.pem"))
        #expect(mine[kSecImportItemLabel as String] as? String == "mine")
        #expect((mine[kSecImportItemKeyID as String] as? Data)?.count == 20)
        #expect((mine[kSecImportItemCertChain as String] as? [SecCertificate])?.count == 1)
        #expect(mine[kSecImportItemTrust as String] is SecTrust)
        #expect(dictionaries.last?[kSecImportItemIdentity as String] == nil)
        #expect((dictionaries.last?[kSecImportItemCertChain as String] as? [SecCertificate])?.count == 1)
    }

    @Test(
        arguments: [
            ("rsa:2048", nil), ("ec -pkeyopt ec_paramgen_curve:P-256", 97),
            ("ec -pkeyopt ec_paramgen_curve:P-384", 145), ("ec -pkeyopt ec_paramgen_curve:P-521", 199),
        ] as [(String, Int?)]
    )
    func `an imported key has Apple's external representation`(key: String, size: Int?) throws {
        var items: CFArray?
        let options: [CFString: Any] = [kSecImportExportPassphrase: "secret"]
        let file = try file(key: key)
        #expect(SecPKCS12Import(file as CFData, options as CFDictionary, &items) == errSecSuccess)
        let mine = try #require((items as? [[String: Any]])?.first)
        let identity = try #require(mine[kSecImportItemIdentity as String] as? SecIdentity)
        var imported: SecKey?
        #expect(SecIdentityCopyPrivateKey(identity, &imported) == errSecSuccess)
        let privateKey = try #require(imported)
        let external = try #require(SecKeyCopyExternalRepresentation(privateKey, nil)) as Data
        guard let size else {
            #expect(try external == folder.openssl("rsa -traditional -in alice.key -outform DER"))
            return
        }
        #expect(external.count == size)
        // The external representation is the public point and the private scalar; openssl's public key ends
        // with the point.
        let point = external.prefix(1 + (size - 1) / 3 * 2)
        #expect(try folder.openssl("pkey -in alice.key -pubout -outform DER").suffix(point.count) == point)
        let number = external.dropFirst(point.count)
        let pkcs8 = try folder.openssl("pkcs8 -topk8 -nocrypt -in alice.key -outform DER")
        #expect(pkcs8.range(of: number) != nil)
    }

    @Test func `a passphrase may be data`() throws {
        var items: CFArray?
        let options: [CFString: Any] = [kSecImportExportPassphrase: Data("secret".utf8)]
        let file = try file(key: "rsa:2048", "-legacy")
        #expect(SecPKCS12Import(file as CFData, options as CFDictionary, &items) == errSecSuccess)
        #expect(items?.count == 1)
    }

    @Test(
        arguments: [
            ("wrong", errSecAuthFailed), (nil, errSecPassphraseRequired), (7, errSecParam),
            (String(repeating: "x", count: 1025), errSecParam),
        ] as [(((any Sendable)?, OSStatus))]
    )
    func `a wrong or missing passphrase returns its status`(
        passphrase: (any Sendable)?,
        status: OSStatus
    ) throws {
        var items: CFArray?
        var options: [CFString: Any] = [:]
        options[kSecImportExportPassphrase] = passphrase
        let file = try file(key: "rsa:2048")
        #expect(SecPKCS12Import(file as CFData, options as CFDictionary, &items) == status)
        #expect(items == nil)
    }

    @Test func `malformed data returns errSecDecode`() {
        var items: CFArray?
        let options: [CFString: Any] = [kSecImportExportPassphrase: "secret"]
        #expect(SecPKCS12Import(NSData(), options as CFDictionary, &items) == errSecDecode)
    }

    @Test func `an unsupported key type returns errSecUnimplemented`() throws {
        var items: CFArray?
        let options: [CFString: Any] = [kSecImportExportPassphrase: "secret"]
        let file = try file(key: "ed448")
        #expect(SecPKCS12Import(file as CFData, options as CFDictionary, &items) == errSecUnimplemented)
    }
    #else
    @Test func `importing returns errSecUnimplemented without the trait PKCS12`() {
        var items: CFArray?
        #expect(SecPKCS12Import(NSData(), NSDictionary(), &items) == errSecUnimplemented)
    }
    #endif
}
