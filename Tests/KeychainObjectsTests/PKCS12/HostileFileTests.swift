// SPDX-License-Identifier: Apache-2.0

#if PKCS12
import Foundation
import KeychainModel
import KeychainTestSupport
import KeychainObjects
import Testing

@Suite struct HostileFileTests {
    private let passphrase = SharedBytes("secret".utf8)
    private let folder: OpenSSLFolder

    init() throws { folder = try OpenSSLFolder() }

    /// Returns a PKCS #12 file that `openssl` writes with these options.
    ///
    /// The order of the options matters: `-iter` after `-nomac` adds the MAC again.
    private func file(_ options: String = "") throws -> Data {
        try folder.makeIdentity("alice")
        try folder.openssl(
            "pkcs12 -export -inkey alice.key -in alice.pem -out file.p12 -passout pass:secret \(options)"
        )
        return try folder.read("file.p12")
    }

    @Test(
        arguments: [
            [], [0], [0x30], [0x30, 0x80], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], Array("PKCS #12".utf8),
            Array(repeating: 0x30, count: 4096), Array(repeating: 0xA0, count: 4096),
            Array(repeating: [0x30, 0x80], count: 100_000).flatMap { $0 },
        ] as [[UInt8]]
    )
    func `garbage is rejected`(bytes: [UInt8]) {
        #expect(throws: StatusError(.undecodable, .malformedArchive)) {
            try PKCS12Archive(Data(bytes), passphrase: passphrase)
        }
    }

    @Test func `a file that is too large is rejected before it is parsed`() {
        #expect(throws: StatusError(.undecodable, .malformedArchive)) {
            try PKCS12Archive(Data(count: 17 * 1024 * 1024), passphrase: passphrase)
        }
    }

    @Test(arguments: ["", "-nomac -certpbe NONE -keypbe NONE"])
    func `truncated PKCS #12 files are rejected`(options: String) throws {
        let whole = try file(options)
        for length in stride(from: 0, to: whole.count, by: 7) {
            #expect(throws: StatusError.self) {
                try PKCS12Archive(whole.prefix(length), passphrase: passphrase)
            }
        }
    }

    private struct Contents {
        let keys: [[Data?]]
        let certificates: [PKCS12Archive.Certificate]

        init(_ archive: PKCS12Archive) {
            keys = archive.keys.map { [$0.pkcs8.data, $0.label.map { Data($0.utf8) }, $0.localKeyID] }
            certificates = archive.certificates
        }
    }

    /// A flipped bit in a file with a MAC causes an error or changes nothing.
    ///
    /// In a file without a MAC it may change the certificates or the key, which are encrypted separately, but
    /// not both.
    @Test(arguments: [("", true), ("-nomac", false), ("-nomac -certpbe NONE -keypbe NONE", false)])
    func `a flipped bit is an error or changes one unauthenticated part`(
        options: String,
        isAuthenticated: Bool
    ) throws {
        let whole = try file("-name mine -iter 1 \(options)")
        let original = Contents(try PKCS12Archive(whole, passphrase: passphrase))
        try #require(original.keys.count == 1 && original.certificates.count == 1)
        var failures = 0
        for index in 0..<whole.count {
            var changed = whole
            changed[index] ^= 1 << (index % 8)
            let archive: PKCS12Archive
            do {
                archive = try PKCS12Archive(changed, passphrase: passphrase)
            } catch let error {
                failures += 1
                #expect([.undecodable, .authenticationFailed].contains(error.status))
                continue
            }
            let read = Contents(archive)
            let areSame = (read.keys == original.keys, read.certificates == original.certificates)
            #expect(isAuthenticated ? areSame.0 && areSame.1 : areSame.0 || areSame.1, "\(index)")
            #expect(read.keys.count <= 1 && read.certificates.count <= 1, "\(index)")
        }
        #expect(failures > 0)
    }

    /// Iteration counts above the limit, zero and negative, as the three bytes of a DER integer.
    @Test(
        arguments: [
            ([0x7F, 0xFF, 0xFF], .tooMuchWork), ([0x4C, 0x4B, 0x41], .tooMuchWork),
            ([0x00, 0x00, 0x00], .malformedArchive), ([0xFF, 0xFF, 0xFF], .malformedArchive),
        ] as [([UInt8], Reason)],
        ["", "-nomac", "-nomac -legacy"]
    )
    func `an excessive number of key derivation rounds is rejected`(
        number: (bytes: [UInt8], reason: Reason),
        options: String
    ) throws {
        var changed = try file("-iter 65537 \(options)")
        let usual = Data([0x02, 0x03, 0x01, 0x00, 0x01])
        try #require(changed.range(of: usual) != nil)
        while let range = changed.range(of: usual) {
            changed.replaceSubrange(range, with: [0x02, 0x03] + number.bytes)
        }
        #expect(throws: StatusError(.undecodable, number.reason)) {
            try PKCS12Archive(changed, passphrase: passphrase)
        }
    }

    private static let sha256 = Data([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01])
    private static let pbmac1 = Data([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0E])
    private static let hmacWithSHA256 = Data([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x09])
    private static let hmacWithSHA1 = Data([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x07])

    private func replace(_ old: Data, by new: Data, in file: inout Data) throws {
        try #require(old.count == new.count && file.range(of: old) != nil)
        while let range = file.range(of: old) { file.replaceSubrange(range, with: new) }
    }

    /// Iteration counts below the limit.
    ///
    /// Reading the files derives several keys, and the total of their iterations exceeds the limit.
    @Test(
        arguments: [
            // An empty passphrase is tried in two encodings.
            ("", [0x28, 0x00, 0x00], ""),
            // Without a MAC, which would detect the changed count, the parts are decrypted first.
            ("-nomac -keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES", [0x20, 0x00, 0x00], "secret"),
            ("-nomac", [0x2B, 0x00, 0x00], "secret"),
        ] as [(String, [UInt8], String)]
    )
    func `each repetition of key derivation counts against the limit`(
        options: String,
        rounds: [UInt8],
        passphrase: String
    ) throws {
        var changed = try file("-iter 65537 \(options)")
        try replace(Data([0x02, 0x03, 0x01, 0x00, 0x01]), by: Data([0x02, 0x03] + rounds), in: &changed)
        if changed.range(of: Self.hmacWithSHA256) != nil {
            try replace(Self.hmacWithSHA256, by: Self.hmacWithSHA1, in: &changed)
        }
        #expect(throws: StatusError(.undecodable, .tooMuchWork)) {
            try PKCS12Archive(changed, passphrase: SharedBytes(passphrase.utf8))
        }
    }

    @Test func `authentication with PBMAC1 is rejected`() throws {
        var changed = try file("-iter 1")
        try replace(Self.sha256, by: Self.pbmac1, in: &changed)
        #expect(throws: StatusError(.undecodable, .malformedArchive)) {
            try PKCS12Archive(changed, passphrase: passphrase)
        }
    }

    @Test func `trailing data after a file is rejected`() throws {
        let whole = try file()
        #expect(try PKCS12Archive(whole, passphrase: passphrase).keys.count == 1)
        for rest in [Data([0]), whole] {
            #expect(throws: StatusError(.undecodable, .malformedArchive)) {
                try PKCS12Archive(whole + rest, passphrase: passphrase)
            }
        }
    }

    @Test(
        arguments: [
            ([0x00, 0x62, 0x00, 0xE4], "b\u{E4}"), ([0xD8, 0x00, 0xDF, 0x48], "\u{10348}"),
            ([0xD8, 0x00, 0xD8, 0x00], nil), ([0xDF, 0x48, 0x00, 0x62], nil),
            ([0x00, 0x62, 0x00, 0x00], "b"),
        ] as [([UInt8], String?)]
    )
    func `an invalid label is ignored`(bytes: [UInt8], label: String?) throws {
        var changed = try file("-nomac -certpbe NONE -keypbe NONE -name aa")
        let old = Data([0x1E, 0x04, 0x00, 0x61, 0x00, 0x61])
        try replace(old, by: Data([0x1E, 0x04] + bytes), in: &changed)
        let archive = try PKCS12Archive(changed, passphrase: passphrase)
        #expect(archive.keys.map(\.label) == [label])
        #expect(archive.certificates.map(\.label) == [label])
    }

    @Test func `a passphrase that is too long is rejected`() throws {
        let file = try file()
        #expect(throws: StatusError(.invalidParameter, .wrongValueType)) {
            try PKCS12Archive(file, passphrase: SharedBytes(repeatElement(0x61, count: 1025)))
        }
    }
}
#endif
