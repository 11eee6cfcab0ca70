// SPDX-License-Identifier: Apache-2.0

#if KeePass
import Foundation
import KeychainTestSupport
import Testing

@testable import KeychainObjects

/// Hostile and damaged KeePass databases.
@Suite struct KeePassDatabaseTests {
    private static func fixture(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).appending(path: "../../../Fixtures/keepass").standardizedFileURL
        return Array(try Data(contentsOf: folder.appending(component: name)))
    }

    private static let password = Array("canary password".utf8)

    @Test func `no truncated or damaged file is read`() throws {
        let file = try Self.fixture("aeskdf-keyfile.kdbx")
        let key = try Self.fixture("key.keyx")
        #expect(try KeePassDatabase(file, password: Self.password, keyFile: key).entries.count == 5)
        for count in Sampling.some(60, of: 0..<file.count, for: "truncated KeePass databases") {
            #expect(throws: KeePassError.self, "\(count) bytes") {
                try KeePassDatabase(Array(file[..<count]), password: Self.password, keyFile: key)
            }
        }
        for index in Sampling.some(60, of: 0..<file.count, for: "damaged KeePass databases") {
            var damaged = file
            damaged[index] ^= 1 << UInt8(index % 8)
            #expect(throws: KeePassError.self, "byte \(index)") {
                try KeePassDatabase(damaged, password: Self.password, keyFile: key)
            }
        }
    }

    @Test func `the key file is part of the key`() throws {
        let file = try Self.fixture("aeskdf-keyfile.kdbx")
        for key in [nil, Array("other".utf8)] {
            #expect(throws: KeePassError.wrongKey) {
                try KeePassDatabase(file, password: Self.password, keyFile: key)
            }
        }
    }

    @Test(arguments: ["argon2d-aes-gzip.kdbx", "argon2id-chacha20.kdbx"])
    func `contents above the limit are refused, compressed or not`(name: String) throws {
        let file = try Self.fixture(name)
        let read = { (limit: Int) throws(KeePassError) in
            try KeePassDatabase(file, password: Self.password, keyFile: nil, limit: limit)
        }
        #expect(try !read(1 << 20).entries.isEmpty)
        #expect(throws: KeePassError.tooLarge) { try read(1 << 10) }
    }

    /// Replaces the value of a parameter of the key derivation, which has 4 or 8 bytes.
    private static func replace(_ name: String, by value: UInt64, in file: [UInt8]) throws -> [UInt8] {
        let count = name == "P" || name == "V" ? 4 : 8
        let pattern = [1, 0, 0, 0] + Array(name.utf8) + [UInt8(count), 0, 0, 0]
        let start = try #require(file.firstRange(of: pattern)).upperBound
        var changed = file
        for offset in 0..<count { changed[start + offset] = UInt8(truncatingIfNeeded: value >> (8 * offset)) }
        return changed
    }

    static let demands: [(file: String, name: String, value: UInt64, error: KeePassError)] = [
        ("argon2d-aes-gzip.kdbx", "M", 2 << 30, .tooMuchWork),
        ("argon2d-aes-gzip.kdbx", "M", .max, .damaged),
        ("argon2d-aes-gzip.kdbx", "M", 1_024, .damaged),
        ("argon2d-aes-gzip.kdbx", "I", 1 << 30, .tooMuchWork),
        ("argon2d-aes-gzip.kdbx", "I", 0, .damaged),
        ("argon2d-aes-gzip.kdbx", "P", 65, .tooMuchWork),
        ("argon2d-aes-gzip.kdbx", "P", 0, .damaged),
        ("argon2d-aes-gzip.kdbx", "V", 0x14, .unsupportedDerivation),
        ("aeskdf-aes.kdbx", "R", 1 << 40, .tooMuchWork),
    ]

    @Test(arguments: demands)
    func `the work that a file requires is limited`(
        row: (file: String, name: String, value: UInt64, error: KeePassError)
    ) throws {
        let file = try Self.replace(row.name, by: row.value, in: Self.fixture(row.file))
        #expect(throws: row.error) { try KeePassDatabase(file, password: Self.password, keyFile: nil) }
    }

    static let keyFiles: [(file: String, key: [UInt8])] = [
        (String(repeating: "*", count: 32), [UInt8](repeating: 0x2A, count: 32)),
        (String(repeating: "2a", count: 32), [UInt8](repeating: 0x2A, count: 32)),
        (
            """
            <?xml version="1.0"?><KeyFile><Meta><Version>1.00</Version></Meta><Key><Data>\
            KioqKioqKioqKioqKioqKioqKioqKioqKioqKioqKio=</Data></Key></KeyFile>
            """, [UInt8](repeating: 0x2A, count: 32)
        ),
    ]

    @Test(arguments: keyFiles)
    func `a key file has one of several formats`(row: (file: String, key: [UInt8])) throws {
        #expect(try KeePassKey.key(in: Array(row.file.utf8)) == row.key)
    }

    @Test func `a damaged key file in XML is refused`() throws {
        var file = try Self.fixture("key.keyx")
        let digit = try #require(file.firstRange(of: Array("2A2A".utf8))).lowerBound
        file[digit] = UInt8(ascii: "3")
        #expect(throws: KeePassError.malformedKeyFile) { try KeePassKey.key(in: file) }
    }

    /// Returns decrypted contents: an inner header that selects no inner encryption, and the document.
    private static func contents(_ xml: String) -> [UInt8] {
        [1, 4, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0] + Array(xml.utf8)
    }

    static let documents = [
        "", "<KeePassFile>", "<a><b></a></b>",
        "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>",
        String(repeating: "<a>", count: 300) + String(repeating: "</a>", count: 300),
        "<Entry><String><Key>a</Key><Value Protected=\"True\">?</Value></String></Entry>",
        "<Entry><String><Key>a</Key><Value Protected=\"True\">/w==</Value></String></Entry>",
    ]

    @Test(arguments: documents)
    func `a hostile document is refused`(xml: String) {
        #expect(throws: KeePassError.damaged) { try KeePassDatabase(contents: Self.contents(xml)) }
    }

    @Test func `elements in unexpected places are ignored`() throws {
        let xml = "<Entry><UUID/><Group><Name>g</Name><Entry/></Group><Value>x</Value><History/></Entry>"
        let database = try KeePassDatabase(contents: Self.contents(xml))
        #expect(database.entries.count == 1)
        #expect(database.earlierVersions == 1)
    }

    @Test func `compressed data larger than the limit is refused`() throws {
        // 1 KiB of zeros, compressed by gzip.
        let file = try #require(Data(base64Encoded: "H4sIAAAAAAACA2NgGAWjYBSMVAAALq+17wAEAAA="))
        #expect(throws: KeePassError.tooLarge) { try GzipData.decompress(Array(file), limit: 1_023) }
        #expect(try GzipData.decompress(Array(file), limit: 1_024).count == 1_024)
    }
}
#endif
