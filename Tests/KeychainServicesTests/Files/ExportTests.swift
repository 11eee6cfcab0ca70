// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// The formats in which `SecItemExport` can encode each type of item; KeychainToolTests check the encoded data.
@Suite struct ExportTests {
    static let kinds = ["rsa private", "rsa public", "ec private", "ec public", "certificate", "identity"]

    /// The expected PEM labels for each format and each of `kinds`.
    ///
    /// A label is `nil` if the format cannot encode the item, and empty if the encoding is not PEM. The two labels
    /// of an identity are separated by a space.
    // swift-format-ignore
    static let labels: [(format: SecExternalFormat, labels: [String?])] = [
        (.formatUnknown,      ["RSA PRIVATE KEY", "PUBLIC KEY",     "EC PRIVATE KEY", "PUBLIC KEY", "CERTIFICATE", "CERTIFICATE EC PRIVATE KEY"]),
        (.formatOpenSSL,      ["RSA PRIVATE KEY", "PUBLIC KEY",     "EC PRIVATE KEY", "PUBLIC KEY", "CERTIFICATE", "CERTIFICATE EC PRIVATE KEY"]),
        (.formatPEMSequence,  ["RSA PRIVATE KEY", "PUBLIC KEY",     "EC PRIVATE KEY", "PUBLIC KEY", "CERTIFICATE", "CERTIFICATE EC PRIVATE KEY"]),
        (.formatBSAFE,        ["PRIVATE KEY",     "RSA PUBLIC KEY", "PRIVATE KEY",    nil,          nil,           "CERTIFICATE PRIVATE KEY"]),
        (.formatX509Cert,     [nil,               nil,              nil,              nil,          "CERTIFICATE", nil]),
        (.formatSSHv2,        [nil,               "",               nil,              "",           nil,           nil]),
        (.formatSSH,          [nil, nil, nil, nil, nil, nil]),
        (.formatRawKey,       [nil, nil, nil, nil, nil, nil]),
        (.formatPKCS7,        [nil, nil, nil, nil, nil, nil]),
        (.formatWrappedLSH,   [nil, nil, nil, nil, nil, nil]),
        (.formatNetscapeCertSequence, [nil, nil, nil, nil, nil, nil]),
    ]

    private func items() throws -> [NSObject] {
        let folder = try OpenSSLFolder()
        try folder.makeIdentity("alice")
        try folder.makeIdentity("bob", key: "rsa:2048")
        func key(_ name: String) throws -> SecKey {
            var items: CFArray?
            try #require(
                SecItemImport(
                    NSData(data: try folder.read("\(name).key")),
                    nil,
                    nil,
                    nil,
                    [],
                    nil,
                    nil,
                    &items
                ) == 0
            )
            return try #require(items?.firstObject as? SecKey)
        }
        let certificate = try #require(
            SecCertificateCreateWithData(nil, NSData(data: try folder.certificate("alice.pem")))
        )
        let (rsa, ec) = (try key("bob"), try key("alice"))
        return [
            rsa, try #require(SecKeyCopyPublicKey(rsa)), ec, try #require(SecKeyCopyPublicKey(ec)),
            certificate,
            try #require(SecIdentityCreate(nil, certificate, ec)),
        ]
    }

    @Test func `each format supports some item types and rejects the others`() throws {
        for (item, kind) in zip(try items(), Self.kinds) {
            for row in Self.labels {
                let column = try #require(Self.kinds.firstIndex(of: kind))
                var data: CFData?
                let status = SecItemExport(item, row.format, .pemArmour, nil, &data)
                guard let label = row.labels[column] else {
                    #expect(status == errSecUnsupportedFormat, "\(kind) \(row.format)")
                    #expect(data == nil)
                    continue
                }
                #expect(status == errSecSuccess, "\(kind) \(row.format)")
                let text = String(decoding: Data(referencing: try #require(data)), as: UTF8.self)
                let found = text.matches(of: #/-----BEGIN ([A-Z ]+)-----/#).map { String($0.output.1) }
                #expect(found.joined(separator: " ") == label, "\(kind) \(row.format)")
            }
        }
    }

    @Test func `exported items can be imported again`() throws {
        for (item, kind) in zip(try items().dropLast(), Self.kinds) {
            for flags in [[], .pemArmour] as [SecItemImportExportFlags] {
                var (data, back) = (nil as CFData?, nil as CFArray?)
                #expect(SecItemExport(item, .formatUnknown, flags, nil, &data) == errSecSuccess)
                #expect(
                    SecItemImport(try #require(data), nil, nil, nil, [], nil, nil, &back) == errSecSuccess
                )
                #expect((back?.firstObject as? NSObject) == item, "\(kind)")
            }
        }
    }

    @Test func `a key shared by two identities is exported once`() throws {
        let items = try items()
        var data: CFData?
        #expect(
            SecItemExport([items[5], items[5], items[2]] as NSArray, .formatUnknown, [], nil, &data)
                == errSecSuccess
        )
        let text = String(decoding: Data(referencing: try #require(data)), as: UTF8.self)
        #expect(text.matches(of: #/-----BEGIN/#).count == 2)
    }

    @Test func `archives and wrapped keys require a passphrase`() throws {
        let items = try items()
        for format in [SecExternalFormat.formatPKCS12, .formatWrappedPKCS8] {
            var data: CFData?
            #expect(SecItemExport(items[2], format, [], nil, &data) == errSecPassphraseRequired)
            #expect(data == nil)
        }
    }

    @Test func `exporting other objects returns errSecParam`() throws {
        for object in [NSArray(), NSString(string: "key"), ["key"] as NSArray] as [AnyObject] {
            var data: CFData?
            #expect(SecItemExport(object, .formatUnknown, [], nil, &data) == errSecParam)
            #expect(data == nil)
        }
    }

    @Test func `raw values are those of macOS`() {
        #expect((0...14).compactMap { SecExternalFormat(rawValue: $0) }.count == 15)
        #expect(SecExternalFormat.formatPKCS12.rawValue == 12)
        #expect(SecExternalFormat.formatSSHv2.rawValue == 14)
        #expect((0...5).compactMap { SecExternalItemType(rawValue: $0) }.count == 6)
        #expect(SecExternalItemType.itemTypeAggregate.rawValue == 5)
        #expect(SecItemImportExportFlags.pemArmour.rawValue == 1)
        #expect(
            [SecKeyImportExportFlags.importOnlyOne, .securePassphrase, .noAccessControl].map(\.rawValue) == [
                1, 2, 4,
            ]
        )
    }
}
