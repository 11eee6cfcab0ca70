// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// `SecItemImport` of files written by `openssl`: the items and formats it detects, and its errors.
@Suite struct ImportTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The shell command that writes `file` from `alice.key` and `alice.pem`.
        let maker: String
        let format: SecExternalFormat
        let type: SecExternalItemType
        var count = 1
    }

    static let rows: [Row] = [
        Row(
            testDescription: "certificate in DER",
            maker: "openssl x509 -in alice.pem -outform DER -out file",
            format: .formatX509Cert,
            type: .itemTypeCertificate
        ),
        Row(
            testDescription: "certificate in PEM",
            maker: "cp alice.pem file",
            format: .formatX509Cert,
            type: .itemTypeCertificate
        ),
        Row(
            testDescription: "private key in PEM",
            maker: "cp alice.key file",
            format: .formatOpenSSL,
            type: .itemTypePrivateKey
        ),
        Row(
            testDescription: "private key in DER",
            maker: "openssl pkey -in alice.key -outform DER -out file",
            format: .formatOpenSSL,
            type: .itemTypePrivateKey
        ),
        Row(
            testDescription: "public key in PEM",
            maker: "openssl pkey -in alice.key -pubout -out file",
            format: .formatOpenSSL,
            type: .itemTypePublicKey
        ),
        Row(
            testDescription: "key and certificates",
            maker: "cat alice.key alice.pem alice.pem > file",
            format: .formatPEMSequence,
            type: .itemTypeAggregate,
            count: 3
        ),
    ]

    private let folder: OpenSSLFolder

    init() throws {
        folder = try OpenSSLFolder()
        try folder.makeIdentity("alice")
    }

    private func file(_ maker: String) throws -> NSData {
        try folder.run(["sh", "-c", maker])
        return NSData(data: try folder.read("file"))
    }

    private func `import`(
        _ data: NSData,
        as format: SecExternalFormat = .formatUnknown,
        of type: SecExternalItemType = .itemTypeUnknown
    ) -> OSStatus {
        var (format, type, items) = (format, type, nil as CFArray?)
        let status = SecItemImport(data, nil, &format, &type, [], nil, nil, &items)
        #expect((status == errSecSuccess) == (items != nil))
        return status
    }

    @Test(arguments: rows)
    func `format and type are detected`(row: Row) throws {
        var (format, type, items) = (
            SecExternalFormat.formatUnknown, SecExternalItemType.itemTypeUnknown, nil as CFArray?
        )
        let data = try file(row.maker)
        #expect(SecItemImport(data, nil, &format, &type, [], nil, nil, &items) == errSecSuccess)
        #expect(format == row.format)
        #expect(type == row.type)
        #expect(items?.count == row.count)
    }

    @Test func `all output parameters are optional`() throws {
        #expect(
            SecItemImport(try file("cp alice.pem file"), nil, nil, nil, [], nil, nil, nil) == errSecSuccess
        )
    }

    @Test(
        arguments: [
            (.formatUnknown, .itemTypeUnknown, errSecSuccess),
            (.formatOpenSSL, .itemTypeUnknown, errSecSuccess),
            (.formatX509Cert, .itemTypeUnknown, errSecUnknownFormat),
            (.formatPKCS12, .itemTypeUnknown, errSecUnknownFormat),
            (.formatSSHv2, .itemTypeUnknown, errSecUnknownFormat),
            (.formatBSAFE, .itemTypeUnknown, errSecSuccess),
            (.formatUnknown, .itemTypePrivateKey, errSecSuccess),
            (.formatUnknown, .itemTypeAggregate, errSecSuccess),
            (.formatUnknown, .itemTypePublicKey, errSecUnknownFormat),
            (.formatUnknown, .itemTypeCertificate, errSecUnknownFormat),
            (.formatUnknown, .itemTypeSessionKey, errSecUnsupportedFormat),
            (.formatSSH, .itemTypeUnknown, errSecUnsupportedFormat),
            (.formatRawKey, .itemTypeUnknown, errSecUnsupportedFormat),
            (.formatWrappedOpenSSL, .itemTypeUnknown, errSecUnsupportedFormat),
            (.formatWrappedSSH, .itemTypeUnknown, errSecUnsupportedFormat),
            (.formatWrappedLSH, .itemTypeUnknown, errSecUnsupportedFormat),
            (.formatPKCS7, .itemTypeUnknown, errSecUnsupportedFormat),
            (.formatNetscapeCertSequence, .itemTypeUnknown, errSecUnsupportedFormat),
        ] as [(SecExternalFormat, SecExternalItemType, OSStatus)]
    )
    func `the data must be of the given format and type`(
        format: SecExternalFormat,
        type: SecExternalItemType,
        status: OSStatus
    ) throws {
        #expect(`import`(try file("cp alice.key file"), as: format, of: type) == status)
    }

    @Test func `a passphrase is a string or data`() throws {
        var parameters = SecItemImportExportKeyParameters()
        let number = NSNumber(value: 1)
        parameters.passphrase = Unmanaged.passUnretained(number)
        let data = try file("cp alice.key file")
        #expect(SecItemImport(data, nil, nil, nil, [], &parameters, nil, nil) == errSecParam)
        let text = NSString(string: "secret")
        parameters.passphrase = Unmanaged.passUnretained(text)
        #expect(SecItemImport(data, nil, nil, nil, [], &parameters, nil, nil) == errSecSuccess)
        withExtendedLifetime((number, text)) {}
    }

    @Test func `unsupported encryption of a key is reported before the missing passphrase`() throws {
        let data = try file(
            "openssl rsa -in alice.key -traditional -aes128 -passout pass:secret -out file"
                + " || openssl ec -in alice.key -aes128 -passout pass:secret -out file"
        )
        #expect(`import`(data) == errSecUnsupportedFormat)
    }

    /// Skipping an unknown PEM block silently would lose data; a certificate request contains no item.
    @Test(arguments: ["PKCS12", "PGP PRIVATE KEY BLOCK", "private key", ""])
    func `an unknown PEM block is an error, and a certificate request is skipped`(label: String) throws {
        let other = "-----BEGIN \(label)-----\nAAAA\n-----END \(label)-----\n"
        var data = Data(other.utf8)
        data.append(Data(referencing: try file("cp alice.key file")))
        #expect(`import`(NSData(data: data)) == errSecUnsupportedFormat)
        let request = other.replacing("BEGIN \(label)", with: "BEGIN CERTIFICATE REQUEST")
            .replacing("END \(label)", with: "END CERTIFICATE REQUEST")
        data = Data(request.utf8)
        data.append(Data(referencing: try file("cp alice.key file")))
        #expect(`import`(NSData(data: data)) == errSecSuccess)
    }

    @Test func `an encrypted key requires a passphrase`() throws {
        let data = try file("openssl pkcs8 -topk8 -in alice.key -passout pass:secret -out file")
        #expect(`import`(data) == errSecPassphraseRequired)
    }

    @Test(
        arguments: [
            [], [0x30], [0x30, 0x80], [0x30, 0x84], [0x30, 0xff, 0xff], [0], [0xff, 0xfe], [0x0a],
        ] as [[UInt8]]
    )
    func `truncated data is rejected`(bytes: [UInt8]) {
        #expect(`import`(NSData(data: Data(bytes))) == errSecUnknownFormat)
    }

    @Test(arguments: [
        "openssl x509 -in alice.pem -outform DER -out der && printf AAAA >> der && { "
            + "echo '-----BEGIN CERTIFICATE-----'; openssl base64 -in der; echo '-----END CERTIFICATE-----'; } > file",
        "openssl x509 -in alice.pem -outform DER -out file && printf AAAA >> file",
        "openssl pkey -in alice.key -outform DER -out file && printf AAAA >> file",
    ])
    func `trailing data is rejected`(maker: String) throws {
        #expect(try self.import(file(maker)) == errSecUnknownFormat)
    }

    @Test func `importOnlyOne rejects two private keys`() throws {
        var parameters = SecItemImportExportKeyParameters()
        parameters.flags = .importOnlyOne
        for (maker, status) in [
            ("cat alice.key alice.pem > file", errSecSuccess),
            ("cat alice.key alice.key > file", errSecMultiplePrivKeys),
        ] {
            var items: CFArray?
            #expect(try SecItemImport(file(maker), nil, nil, nil, [], &parameters, nil, &items) == status)
            #expect((items == nil) == (status != errSecSuccess))
        }
    }

    // MARK: Damage

    private struct Contents: Equatable {
        var keys: [SecKey]
        var certificates: [SecCertificate]

        var certificateBytes: [Data] { certificates.map { SecCertificateCopyData($0) as Data } }
    }

    /// Returns the items that `SecItemImport` finds in the data; `nil` if it fails.
    private func contents(of data: Data) -> Contents? {
        var items: CFArray?
        let status = SecItemImport(NSData(data: data), nil, nil, nil, [], nil, nil, &items)
        #expect((status == errSecSuccess) == (items != nil))
        guard let objects = items as? [NSObject] else { return nil }
        #expect(!objects.isEmpty)
        return Contents(
            keys: objects.compactMap { $0 as? SecKey },
            certificates: objects.compactMap { $0 as? SecCertificate }
        )
    }

    /// Returns whether two values differ in at most two bytes, as much as one changed base64 digit can change.
    private func differInTwoBytesAtMost(_ one: Data, _ other: Data) -> Bool {
        one.count == other.count && zip(one, other).count { $0 != $1 } <= 2
    }

    @Test func `damaged PEM never yields another key, and certificates differ only by the damage`() throws {
        var generator = SeededGenerator(seed: 3)
        let count = Data(referencing: try file("cp alice.key file")).count
        let whole = Data(referencing: try file("cat alice.key alice.pem > file"))
        let original = try #require(contents(of: whole))
        try #require(original.keys.count == 1 && original.certificates.count == 1)
        var refusals = 0
        for _ in 0..<2_000 {
            var bytes = whole
            let index = Int.random(in: bytes.indices, using: &generator)
            bytes[index] = .random(in: 0...255, using: &generator)
            guard let damaged = contents(of: bytes) else {
                refusals += 1
                continue
            }
            // A PEM block whose first line is damaged counts as text between blocks and is ignored, so its item
            // is missing.
            if index < count {
                #expect(damaged.keys == original.keys || damaged.keys.isEmpty, "\(index)")
                #expect(damaged.certificates == original.certificates, "\(index)")
            } else {
                #expect(damaged.keys == original.keys, "\(index)")
                #expect(damaged.certificates.count <= 1, "\(index)")
                for bytes in damaged.certificateBytes {
                    #expect(differInTwoBytesAtMost(bytes, original.certificateBytes[0]), "\(index)")
                }
            }
        }
        #expect(refusals > 0)
    }

    @Test(arguments: [
        "openssl x509 -in alice.pem -outform DER -out file",
        "openssl pkey -in alice.key -outform DER -out file",
        "openssl ec -in alice.key -outform DER -out file",
        "openssl pkey -in alice.key -pubout -outform DER -out file",
    ])
    func `a flipped bit never yields another key, and a certificate has the bytes of the file`(
        maker: String
    ) throws {
        let whole = Data(referencing: try file(maker))
        let original = try #require(contents(of: whole))
        var refusals = 0
        for index in whole.indices {
            for bit in 0..<8 {
                var bytes = whole
                bytes[index] ^= 1 << bit
                guard let damaged = contents(of: bytes) else {
                    refusals += 1
                    continue
                }
                #expect(damaged.keys == original.keys, "\(index)")
                #expect(damaged.certificateBytes == original.certificates.map { _ in bytes }, "\(index)")
            }
        }
        #expect(refusals > 0)
    }

    @Test func `an RSA public key with a flipped bit is rejected or exported unchanged`() throws {
        let whole = Data(
            referencing: try file(
                "openssl genpkey -algorithm RSA -out key && openssl pkey -in key -pubout -outform DER -out file"
            )
        )
        var refusals = 0
        for index in whole.indices {
            var bytes = whole
            bytes[index] ^= 1 << (index % 8)
            guard let key = contents(of: bytes)?.keys.first else {
                refusals += 1
                continue
            }
            var data: CFData?
            #expect(SecItemExport(key, .formatOpenSSL, [], nil, &data) == errSecSuccess, "\(index)")
            #expect(data.map { Data(referencing: $0) } == bytes, "\(index)")
        }
        #expect(refusals > 0 && refusals < whole.count)
    }
}
