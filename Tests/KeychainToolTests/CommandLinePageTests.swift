// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// Runs the commands of `CommandLine.md` as they are written there.
@Suite struct CommandLinePageTests {
    private static let preparation = """
        cd
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=me -keyout key.pem \\
            -out certificate.pem 2>/dev/null
        openssl pkcs12 -export -inkey key.pem -in certificate.pem -out identity.p12 -passout pass:canary-right
        cp identity.p12 cert.p12
        printf canary | security set api.example/me
        printf '#!/bin/sh\\n[ "$TOKEN" = canary ]' > deploy
        chmod +x deploy
        """

    /// A part of each example that prompts, and the prompts with their answers.
    private static let answers: [(example: String, dialog: [(prompt: String, answer: String)])] = [
        ("delete-keychain", [("Type delete to continue: ", "delete")]),
        ("unlock-keychain", [("password to unlock ", "canary passcode")]),
        (
            "set-keychain-password",
            [("New Password: ", "canary passcode"), ("Retype New", "canary passcode")]
        ),
        ("security set ", [("password data for ", "canary"), ("retype password ", "canary")]),
        (" -w      # prompts", [("password data for ", "canary"), ("retype password ", "canary")]),
        (" -U -w", [("password data for ", "canary two"), ("retype password ", "canary two")]),
        ("user-presence -w", [("password data for ", "canary"), ("retype password ", "canary")]),
    ]

    @Test func `a user can type the examples in their order`() throws {
        let home = try TemporaryHome()
        try home.run(Self.preparation)
        let examples = try PageRecipe.shell(in: "CommandLine.md", after: "## Examples").split(separator: "\n")
        #expect(examples.count >= 15)
        for example in examples {
            let terminal = try Terminal()
            let line = "cd; PASSPHRASE=canary-right; \(example)"
            let process = try terminal.start("/bin/bash", ["-c", line], in: home.environment)
            for (prompt, answer) in Self.answers.first(where: { example.contains($0.example) })?.dialog ?? []
            {
                try terminal.wait(for: prompt)
                terminal.type(answer + "\n")
            }
            let code = try process.wait()
            terminal.drain()
            #expect(code == 0, "\(example)\n\(terminal.transcript)")
        }
        #expect(!FileManager.default.fileExists(atPath: home.store + "/keychain.db"))
    }

    #if PKCS12
    @Test func `the commands of a script for continuous integration run`() throws {
        let home = try TemporaryHome()
        try home.run(Self.preparation)
        let script = try PageRecipe.shell(in: "CommandLine.md", after: "Scripts of continuous integration")
        let result = try home.shell("cd; set -e; PASSCODE=canary-word PASSPHRASE=canary-right\n\(script)")
        #expect(result.code == 0, "\(result.complaintsText)")
        #expect(result.complaintsText == "")
        #expect(result.outputText.hasPrefix("1 identity imported.\n"))
    }
    #endif
}
