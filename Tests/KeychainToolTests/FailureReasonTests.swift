// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite struct FailureReasonTests {
    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    @Test func `damage in the middle of the database is reported as damage`() throws {
        let commands = (0..<200).map { "add-generic-password -a canary -s canary-\($0) -w canary" }
        let filled = try home.security("-i", input: Array(commands.joined(separator: "\n").utf8))
        #expect(filled.code == 0)
        #expect(try home.security("show-keychain-info").code == 0)
        let database = home.store + "/keychain.db"
        try? FileManager.default.removeItem(atPath: database + "-wal")
        var bytes = try [UInt8](Data(contentsOf: URL(filePath: database)))
        for index in stride(from: bytes.count / 2, to: bytes.count, by: 97) { bytes[index] ^= 0xff }
        let file = try FileHandle(forUpdating: URL(filePath: database))
        try file.write(contentsOf: bytes)
        try file.close()
        let result = try home.security("dump-keychain")
        #expect(result.code != 0)
        let lines = result.complaintsText.split(separator: "\n")
        #expect(lines.first?.contains("keychain.db") == true, "\(result.complaintsText)")
        #expect(lines.first?.contains("restore") == true)
        #expect(!result.complaintsText.contains("another process"))
    }

    @Test func `the explanation precedes the message of macOS`() throws {
        #expect(try home.security("add-generic-password", "-a", "me", "-s", "canary", "-w", "x").code == 0)
        let result = try home.shell(#"chmod 755 "$KEYCHAIN_HOME"; security find-generic-password -s canary"#)
        let lines = result.complaintsText.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains("is open to other users; run chmod 700 on it") == true)
        #expect(
            lines.last?.hasPrefix("security: SecKeychainSearchCopyNext: No keychain is available.") == true
        )
    }
}
