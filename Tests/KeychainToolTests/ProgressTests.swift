// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// The progress of operations on whole keychains.
///
/// It is a bar on a terminal; JSON events elsewhere or with `--json`; and hidden by `security -q`.
@Suite struct ProgressTests {
    static let operations = [
        "verify": "verify", "repair": "repair", "backup": "backup --force file -P canary",
        "restore": "restore file --on-conflict skip -P canary", "rotate-keys": "rotate-keys",
    ]

    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        try home.run(
            """
            cd; for n in 1 2 3; do printf canary | security set service$n/me; done
            security -q backup file -P canary
            """
        )
    }

    private struct Event: Decodable {
        let schemaVersion: Int
        let event: String
        let operation: String
        let completed: Int
        let total: Int?
    }

    @Test(arguments: operations.keys.sorted())
    func `events are JSON lines if standard error is no terminal`(operation: String) throws {
        let command = try #require(Self.operations[operation])
        for options in ["", " --json"] {
            let result = try home.shell("cd; security \(command)\(options)")
            #expect(result.code == 0)
            let events = try result.complaintsText.split(separator: "\n").map {
                try JSONDecoder().decode(Event.self, from: Data($0.utf8))
            }
            #expect(!events.isEmpty)
            for event in events {
                #expect(event.schemaVersion == 1 && event.event == "progress" && event.operation == operation)
                #expect(event.total.map { event.completed <= $0 } ?? true)
            }
            #expect(events.map(\.completed) == events.map(\.completed).sorted())
        }
    }

    @Test(arguments: operations.keys.sorted())
    func `security -q shows no progress`(operation: String) throws {
        let command = try #require(Self.operations[operation])
        let result = try home.shell("cd; security -q \(command)")
        #expect(result.code == 0)
        #expect(result.complaintsText == "")
    }

    @Test(arguments: operations.keys.sorted())
    func `a terminal shows a bar, which is erased at the end`(operation: String) throws {
        let command = try #require(Self.operations[operation])
        let terminal = try Terminal()
        let process = try terminal.start(
            "/bin/sh",
            ["-c", "cd; exec security \(command)"],
            in: home.environment
        )
        #expect(try process.wait() == 0)
        terminal.drain()
        #expect(terminal.transcript.contains("\r\(operation) ["))
        #expect(terminal.transcript.contains("\r\u{1B}[K"))
        #expect(!terminal.transcript.contains("schemaVersion"))
    }

    @Test func `--json prints events on a terminal, too`() throws {
        let terminal = try Terminal()
        let process = try terminal.start(["verify", "--json"], in: home)
        #expect(try process.wait() == 0)
        terminal.drain()
        #expect(terminal.transcript.contains(#""event":"progress","operation":"verify""#))
        #expect(!terminal.transcript.contains("[#"))
    }
}
