// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// Private keys that OpenSSH has encrypted, which `import` decrypts with `ssh-keygen`.
@Suite(CredentialHelperTests.has("ssh-keygen")) struct EncryptedOpenSSHKeyTests {
    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    /// Makes a key with the passphrase `pass-canary`, and with few rounds of key derivation.
    private func makeKey(_ type: String = "ed25519") throws {
        try home.run("cd; ssh-keygen -q -t \(type) -a 2 -N pass-canary -C '' -f key; cp key before")
    }

    @Test(arguments: Sampling.some(2, of: SSHAgentTests.types, for: "types of encrypted OpenSSH keys"))
    func `a key is imported with its passphrase, and the file is unchanged`(type: String) throws {
        try makeKey(type)
        let result = try home.shell("cd; printf pass-canary | security import key -P")
        #expect(result.outputText == "1 key imported.\n")
        #expect(result.complaintsText.isEmpty)
        try home.run("cd; cmp key before")
        try home.run(
            """
            cd; security export -t privKeys -f openssh2 -o out
            ssh-keygen -y -f out | cut -d ' ' -f 1,2 > exported; cut -d ' ' -f 1,2 key.pub | cmp - exported
            """
        )
    }

    @Test(arguments: [
        ("printf wrong | security import key -P", Int32(51)),
        ("printf 'pass-canary\\nsecond' | security import key -P", 51),
        ("security import key < /dev/null", 84),
        ("cat key key > two; printf pass-canary | security import two -P", 88),
    ])
    func `a wrong or missing passphrase imports nothing`(command: String, code: Int32) throws {
        try makeKey()
        let result = try home.shell("cd; \(command)")
        #expect(result.code == code)
        #expect(result.outputText.isEmpty)
        #expect(!result.complaintsText.contains("canary"))
        #expect(try home.security("find-key").outputText.isEmpty)
    }

    @Test func `without ssh-keygen, the error names it`() throws {
        try makeKey()
        try home.run("cd; mkdir bin; ln -s \(ToolProcess.executable) bin/security")
        let result = try home.shell("cd; printf pass-canary | PATH=bin security import key -P")
        #expect(result.code == 88)
        #expect(result.complaintsText.contains("needs the program ssh-keygen"))
    }

    @Test func `a key whose passphrase takes too long to try is refused`() throws {
        try makeKey()
        // The rounds are a big-endian number after the 16 bytes of the salt.
        try home.run(
            """
            cd; /usr/bin/python3 - <<'END'
            import base64, textwrap
            lines = open("key").read().split("\\n")
            body = bytearray(base64.b64decode("".join(lines[1:-2])))
            rounds = body.index(b"\\0\\0\\0\\x10", body.index(b"bcrypt")) + 4 + 16
            assert body[rounds:rounds + 4] == b"\\0\\0\\0\\2"
            body[rounds:rounds + 4] = b"\\xff\\xff\\xff\\xff"
            text = textwrap.wrap(base64.b64encode(body).decode(), 70)
            open("key", "w").write("\\n".join([lines[0]] + text + [lines[-2], ""]))
            END
            """
        )
        let result = try home.shell("cd; printf pass-canary | security import key -P")
        #expect(result.code == 88)
        #expect(result.complaintsText.contains("would take too long"))
    }

    @Test func `the passphrase is prompted for on a terminal`() throws {
        try makeKey()
        let terminal = try Terminal()
        let process = try terminal.start(["import", home.directory + "/key"], in: home)
        try terminal.wait(for: "passphrase of the file: ")
        #expect(!terminal.echoes)
        terminal.type("pass-canary\n")
        #expect(try process.wait() == 0)
        terminal.drain()
        #expect(terminal.transcript.hasSuffix("1 key imported.\n"))
        #expect(!terminal.transcript.contains("Enter"))
    }
}
