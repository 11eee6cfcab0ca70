// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTool
import Testing

/// `security sync`, which parses the command line and starts `keychain-sync`.
@Suite struct SyncVerbTests {
    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    /// Copies the command to a directory, and a program that prints its arguments to another one.
    private func install(command: String, program: String) throws {
        try home.run(
            """
            cd; mkdir -p \(command) \(program); cp \(ToolProcess.executable) \(command)/security
            printf '%s\\n' '#!/bin/sh' 'printf "<%s>" "$@"; exit 7' > \(program)/keychain-sync
            chmod +x \(program)/keychain-sync
            """
        )
    }

    @Test func `keychain-sync receives the long option names and the operands`() throws {
        try install(command: "usr/bin", program: "usr/bin")
        let result = try home.shell(
            "~/usr/bin/security sync join --name laptop CODE --endpoint=https://a --endpoint b"
        )
        #expect(result.outputText == "<join><--name><laptop><--endpoint><https://a><--endpoint><b><CODE>")
        #expect(result.code == 7)
    }

    @Test func `without the program, the error names its package`() throws {
        try install(command: "usr/bin", program: "elsewhere")
        let result = try home.shell("~/usr/bin/security sync status")
        #expect(result.code == 127)
        #expect(result.complaintsText.contains("the package swift-keychain-sync installs it"))
    }

    @Test(arguments: [
        ("", "a subcommand is required"), ("nonsense", "a subcommand is required"),
        ("leave --forced", "did you mean --force?"), ("create --endpoint", "option requires an argument"),
        ("status extra", "too many operands"), ("join one two", "too many operands"),
    ])
    func `a wrong command line is refused before the program starts`(line: String, complaint: String) throws {
        try install(command: "usr/bin", program: "usr/bin")
        let result = try home.shell("~/usr/bin/security sync \(line)")
        #expect(result.code == 2)
        #expect(result.complaintsText.contains(complaint))
        #expect(result.outputText.isEmpty)
    }

    @Test func `every option of the page's table is an option of its subcommand`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let path = root.appending(path: "Documentation/Synchronization.md")
        let rows = try String(contentsOf: path, encoding: .utf8).matches(of: /\n\| `([a-z]+)[^|\n]*/)
        let sync = try #require(Verb.find("sync"))
        for verb in sync.subcommands where verb.name != "sync resume" {
            #expect(rows.contains { verb.name == "sync \($0.output.1)" }, "\(verb.name)")
        }
        for row in rows {
            guard let verb = sync.subcommands.first(where: { $0.name == "sync \(row.output.1)" }) else {
                continue
            }
            for option in row.output.0.matches(of: /--([a-z-]+)/) {
                #expect(
                    verb.options.contains { $0.name == option.output.1 },
                    "\(verb.name): \(option.output.0)"
                )
            }
        }
    }
}
