// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The helpers for git and OpenSSH, called by these programs, and the import from the password manager pass.
@Suite struct CredentialHelperTests {
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        let bin = home.directory + "/bin"
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        for name in [
            "git-credential-keychain", "docker-credential-keychain", "cargo-credential-keychain",
            "keychain-askpass",
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(bin)/\(name)",
                withDestinationPath: ToolProcess.executable
            )
        }
    }

    static func has(_ program: String) -> ConditionTrait {
        .enabled("\(program) is not installed") {
            ["/usr/bin/", "/bin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + program) }
        }
    }

    private func shell(_ line: String) throws -> ToolProcess.Result {
        try home.shell("PATH=\(home.directory)/bin:$PATH; export PATH GIT_TERMINAL_PROMPT=0; cd; \(line)")
    }

    private static let git = "git -c credential.helper= -c credential.helper=keychain credential"

    @Test(has("git")) func `git stores, reads and rejects a password`() throws {
        let target = #"protocol=https\nhost=git.example\nusername=alice\n"#
        let approved = try shell(#"printf '\#(target)password=canary one\n\n' | \#(Self.git) approve"#)
        #expect(approved.code == 0 && approved.output.isEmpty && approved.complaints.isEmpty)
        #expect(
            try home.security("find-internet-password", "-s", "git.example", "-r", "htps", "-w").outputText
                == "canary one\n"
        )
        let filled = try shell(#"printf 'protocol=https\nhost=git.example\n\n' | \#(Self.git) fill"#)
        #expect(filled.code == 0)
        #expect(filled.outputText.contains("username=alice\n"))
        #expect(filled.outputText.contains("password=canary one\n"))
        #expect(
            try shell(#"printf '\#(target)password=canary one\n\n' | \#(Self.git) reject"#).code == 0
        )
        #expect(try shell(#"printf 'protocol=https\nhost=git.example\n\n' | \#(Self.git) fill"#).code != 0)
        #expect(try home.security("find-internet-password", "-s", "git.example").code == 44)
    }

    @Test(has("git")) func `git finds a credential by its path if it uses paths`() throws {
        let git = Self.git.replacing(
            "credential.helper=keychain",
            with: "credential.helper=keychain -c credential.useHttpPath=true"
        )
        for name in ["one", "two"] {
            let message = #"url=https://alice@git.example/\#(name).git\npassword=canary \#(name)\n\n"#
            #expect(try shell("printf '\(message)' | \(git) approve").code == 0)
        }
        let filled = try shell(#"printf 'url=https://git.example/two.git\n\n' | \#(git) fill"#)
        #expect(filled.outputText.contains("password=canary two\n"))
    }

    @Test func `a link with the name of a helper runs the helper`() throws {
        let docker = try shell("printf ghcr.io | docker-credential-keychain get")
        #expect(docker.outputText == "credentials not found in native keychain\n")
        #expect(docker.code == 1)
        let cargo = try shell("cargo-credential-keychain --cargo-plugin < /dev/null")
        #expect(cargo.outputText == "{\"v\":[1]}\n")
    }

    @Test(has("ssh-add")) func `OpenSSH opens a key with the stored passphrase`() throws {
        let key = home.directory + "/key"
        let made = try shell("ssh-keygen -q -t ed25519 -N 'canary passphrase' -f \(key)")
        #expect(made.code == 0)
        let opening =
            "export SSH_ASKPASS=keychain-askpass SSH_ASKPASS_REQUIRE=force; "
            + "ssh-agent sh -c 'ssh-add \(key) < /dev/null && ssh-add -l'"
        #expect(try shell(opening).code != 0)
        let add = ["add-generic-password", "-s", "SSH", "-a", key, "-w"]
        #expect(
            try home.security(
                add[0],
                add[1],
                add[2],
                add[3],
                add[4],
                add[5],
                input: Array("canary passphrase".utf8)
            ).code == 0
        )
        let opened = try shell(opening)
        #expect(opened.code == 0)
        #expect(opened.outputText.contains("(ED25519)"))
    }

    @Test(has("gpg")) func `with --no-prompt, entries whose key needs a passphrase are left out`() throws {
        let home = try TemporaryHome()
        try home.run(
            """
            cd; mkdir -m 700 .gnupg; mkdir passwords
            printf '#!/bin/sh\\ntouch ~/asked\\n' > pinentry; chmod +x pinentry
            echo "pinentry-program $HOME/pinentry" > .gnupg/gpg-agent.conf
            gpg --quiet --batch --passphrase canary --pinentry-mode loopback --quick-generate-key test@example.com default default never 2> /dev/null
            printf 'canary secret\\n' | gpg --quiet --batch --trust-model always -r test@example.com -e -o passwords/mail.gpg
            gpgconf --kill gpg-agent
            security --no-prompt import-passwords --from pass passwords > report
            ! test -e asked
            security import-passwords --from pass passwords > /dev/null
            test -e asked
            gpgconf --kill gpg-agent
            """
        )
        let report = try home.shell("cat ~/report").outputText
        #expect(
            report.contains("added: 0") && report.contains("mail.gpg: gpg cannot decrypt it"),
            "\(report)"
        )
    }

    @Test(has("gpg")) func `entries of pass are imported`() throws {
        let result = try shell(
            """
            export GNUPGHOME=$HOME/gnupg; mkdir -m 700 "$GNUPGHOME"
            gpg --quiet --batch --passphrase '' --pinentry-mode loopback --quick-generate-key test@example.com default default never 2> /dev/null
            put() { mkdir -p "passwords/$(dirname "$1")"; gpg --quiet --batch --trust-model always -r test@example.com -e -o "passwords/$1.gpg"; }
            printf 'canary one\\n' | put web/mail.example/alice
            printf 'canary two\\nlogin: bob\\nurl: https://x\\notpauth://totp/x?secret=GEZDGNBVGY3TQOJQ\\n' | put shop
            printf 'canary' > passwords/broken.gpg
            find passwords -type f | sort | xargs sha256sum > before
            security import-passwords --from pass passwords
            find passwords -type f | sort | xargs sha256sum | cmp - before && echo unchanged
            security get web/mail.example/alice; security get shop/bob; security otp 'shop (one-time code)/bob' | wc -c
            gpgconf --kill gpg-agent
            """
        )
        let expected = [
            "added: 3", "replaced: 0", "skipped: 0", "left out: 1", "broken.gpg: gpg cannot decrypt it",
            "unchanged", "canary one", "canary two", "7",
        ]
        #expect(result.outputText == expected.map { $0 + "\n" }.joined())
    }
}
