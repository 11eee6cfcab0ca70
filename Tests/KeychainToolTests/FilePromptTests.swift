// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// Commands that prompt on a terminal while another process changes their files or waits for their output.
@Suite struct FilePromptTests {
    private let home: TemporaryHome
    private let terminal: Terminal

    init() throws {
        home = try TemporaryHome()
        terminal = try Terminal()
    }

    @Test(arguments: [(["--force"], true), ([], false)])
    func `a file created during the prompt is replaced only with force`(
        options: [String],
        isReplaced: Bool
    ) throws {
        #expect(try home.security("set", "service/me", input: Array("canary".utf8)).code == 0)
        let file = home.directory + "/new.backup"
        let process = try terminal.start(["backup", file] + options, in: home)
        try terminal.wait(for: "passphrase of the file: ")
        try Data("other".utf8).write(to: URL(fileURLWithPath: file))
        terminal.type("canary passphrase\n")
        try terminal.wait(for: "retype passphrase of the file: ")
        terminal.type("canary passphrase\n")
        #expect(try process.wait() == (isReplaced ? 0 : 1))
        terminal.drain()
        #expect(terminal.transcript.contains("File exists") != isReplaced)
        #expect((FileManager.default.contents(atPath: file) == Data("other".utf8)) != isReplaced)
        let names = try FileManager.default.contentsOfDirectory(atPath: home.directory)
        #expect(!names.contains { $0.hasPrefix(".security-") })
    }

    @Test func `cargo receives the error of the token prompt`() throws {
        let request = #"{"v":1,"kind":"login","registry":{"index-url":"x"},"args":[]}"#
        let output = home.directory + "/answer"
        let line = "echo '\(request)' | security cargo-credential > \(output)"
        let process = try terminal.start("/bin/bash", ["-c", line], in: home.environment)
        try terminal.wait(for: "token for x: ")
        terminal.type(String(repeating: "x", count: 5_000) + "\n")
        #expect(try process.wait() == 0)
        let answer = try String(contentsOfFile: output, encoding: .utf8)
        #expect(
            answer.contains(#"{"Err":{"kind":"other","message":"a line at a terminal has at most 4094 bytes"#)
        )
    }
}
