// SPDX-License-Identifier: Apache-2.0

#if PKCS12
import Foundation
import KeychainModel
import KeychainTestSupport
import PKCS12
import Testing

/// Files that are damaged or that were made to do harm.
@Suite struct HostileFileTests {
    private let passphrase = SharedSecret("secret".utf8)
    private let folder: OpenSSLFolder

    init() throws { folder = try OpenSSLFolder() }

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
    func `garbage is no file`(bytes: [UInt8]) {
        #expect(throws: KeychainError(.undecodable, .malformedArchive)) {
            try PKCS12Archive(Data(bytes), passphrase: passphrase)
        }
    }

    @Test func `a file that is too large is not looked at`() {
        #expect(throws: KeychainError(.undecodable, .malformedArchive)) {
            try PKCS12Archive(Data(count: 17 * 1024 * 1024), passphrase: passphrase)
        }
    }

    @Test(arguments: ["", "-nomac -certpbe NONE -keypbe NONE"])
    func `no part of a file is a file`(options: String) throws {
        let whole = try file(options)
        for length in stride(from: 0, to: whole.count, by: 7) {
            #expect(throws: KeychainError.self) {
                try PKCS12Archive(whole.prefix(length), passphrase: passphrase)
            }
        }
    }

    @Test(arguments: ["", "-nomac", "-nomac -certpbe NONE -keypbe NONE"])
    func `a flipped bit is an error or changes what is read`(options: String) throws {
        let whole = try file("\(options) -iter 1")
        var refusals = 0
        for index in 0..<whole.count {
            var changed = whole
            changed[index] ^= 1 << (index % 8)
            do {
                _ = try PKCS12Archive(changed, passphrase: passphrase)
            } catch let error {
                refusals += 1
                #expect([.undecodable, .authenticationFailed].contains(error.status))
            }
        }
        #expect(refusals > 0)
    }

    /// The number of rounds, as the file says it in three bytes.
    @Test(
        arguments: [
            ([0x7F, 0xFF, 0xFF], .tooMuchWork), ([0x4C, 0x4B, 0x41], .tooMuchWork),
            ([0x00, 0x00, 0x00], .malformedArchive), ([0xFF, 0xFF, 0xFF], .malformedArchive),
        ] as [([UInt8], Reason)],
        ["", "-nomac", "-nomac -legacy"]
    )
    func `rounds that no file needs are not computed`(
        number: (bytes: [UInt8], reason: Reason),
        options: String
    ) throws {
        var changed = try file("\(options) -iter 65537")
        let usual = Data([0x02, 0x03, 0x01, 0x00, 0x01])
        try #require(changed.range(of: usual) != nil)
        while let range = changed.range(of: usual) {
            changed.replaceSubrange(range, with: [0x02, 0x03] + number.bytes)
        }
        #expect(throws: KeychainError(.undecodable, number.reason)) {
            try PKCS12Archive(changed, passphrase: passphrase)
        }
    }

    @Test func `a passphrase without end is refused`() throws {
        let file = try file()
        #expect(throws: KeychainError(.invalidParameter, .wrongValueType)) {
            try PKCS12Archive(file, passphrase: SharedSecret(repeatElement(0x61, count: 1025)))
        }
    }
}
#endif
