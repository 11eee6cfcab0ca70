// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainModel
import KeychainTool
import Testing

/// The exit codes documented in `CommandLine.md` match those for each status.
@Suite struct ExitCodeTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Statuses that no command can end with: internal ones, and those of unsupported classes and calls.
    private static let unreachable: Set<Substring> = [
        "authenticationNeeded", "invalidItemReference", "multiplePrivateKeys", "noSuchClass",
        "verificationFailed",
    ]

    /// Returns the documented exit codes, each with its status; `nil` for a code that stands for no status.
    private static func documented() throws -> [(code: Int32, status: Int32?)] {
        let page = try String(
            contentsOf: root.appendingPathComponent("Documentation/CommandLine.md"),
            encoding: .utf8
        )
        return page.matches(of: #/(?m)^\| (\d+) \| (–|−?\d+) \| /#).compactMap { row in
            Int32(row.1).map { ($0, Int32(row.2.replacing("−", with: "-"))) }
        }
    }

    @Test func `a code is the low byte of its status and documented once`() throws {
        let rows = try Self.documented()
        #expect(rows.map(\.code) == Set(rows.map(\.code)).sorted())
        #expect(
            rows.allSatisfy { row in
                row.status.map { $0 & 0xff == row.code } ?? (row.code < 4 || row.code > 128)
            }
        )
    }

    @Test func `the codes of an interrupted command and of a closed pipe are documented`() throws {
        let codes = try Self.documented().filter { $0.status == nil }.map(\.code)
        #expect(codes.contains(128 + SIGINT) && codes.contains(128 + SIGPIPE))
    }

    @Test func `exit-codes prints the documented statuses`() throws {
        let documented = Set(try Self.documented().compactMap(\.status)).subtracting([0])
        #expect(Set(ExitCode.statuses.map(\.rawValue)) == documented)
        let lines = try TemporaryHome().security("exit-codes").outputText.split(separator: "\n")
        let codes = lines.compactMap { Int32($0.prefix(3).drop { $0 == " " }) }
        #expect(codes == Set(try Self.documented().map(\.code)).union([126, 127]).sorted())
    }

    @Test func `every status of the keychain is documented with its code`() throws {
        let source = try String(
            contentsOf: Self.root.appendingPathComponent("Sources/KeychainModel/Status.swift"),
            encoding: .utf8
        )
        let statuses = source.matches(of: #/static let (\w+) = Self\(rawValue: (-?\d+)\)/#)
            .filter { !Self.unreachable.contains($0.1) }
        #expect(statuses.count > 15)
        let documented = Set(try Self.documented().compactMap(\.status))
        for status in statuses {
            let number = try #require(Int32(status.2))
            #expect(documented.contains(number), "\(status.1) ends with \(number & 0xff)")
        }
    }
}
