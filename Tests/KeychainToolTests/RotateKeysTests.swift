// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite struct RotateKeysTests {
    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    @Test func `damaged rows keep the former keys, which doctor reports`() throws {
        try home.run("for n in 1 2 3; do printf canary | security set service$n/me; done")
        try home.run(
            "/usr/bin/python3 -c \"import sqlite3; d = sqlite3.connect('\(home.store)/keychain.db'); d.execute('UPDATE item SET attributes = zeroblob(99) WHERE id = 2'); d.commit()\""
        )
        let result = try home.security("rotate-keys")
        #expect(result.outputText == "re-encrypted: 2\n")
        #expect(result.complaintsText.contains("damaged rows: 1; the former keys stay"))
        #expect(result.code == 93)
        #expect(try home.shell("security doctor").outputText.contains("security rotate-keys continues it"))
        try home.run("security repair")
        let resumed = try home.security("rotate-keys", "--json")
        #expect(
            resumed.outputText
                == #"{"schemaVersion":1,"reencrypted":0,"damaged":0,"complete":true}"# + "\n"
        )
        #expect(resumed.complaintsText.contains(#""event":"progress","operation":"rotate-keys""#))
        #expect(resumed.code == 0)
        #expect(try !home.shell("security doctor").outputText.contains("rotate-keys"))
        #expect(try home.security("get", "service3/me").outputText == "canary\n")
    }

    /// Waits until `security doctor` no longer reports an unfinished rotation; the test fails after 300 reports.
    private func waitForEnd() throws {
        for _ in 0..<300 {
            if try !home.shell("security doctor").outputText.contains("rotate-keys") { return }
            usleep(100_000)
        }
        Issue.record("the rotation in the background does not end")
    }

    @Test func `with --background, the command returns and another process encrypts the items`() throws {
        try home.run("for n in 1 2 3; do printf canary$n | security set service$n/me; done")
        let result = try home.security("rotate-keys", "--background", "--json")
        #expect(result.code == 0)
        #expect(
            result.outputText.contains(#""command":"rotate-keys""#)
                && result.outputText.contains(#""background":true"#)
        )
        try waitForEnd()
        for number in 1...3 {
            #expect(try home.security("get", "service\(number)/me").outputText == "canary\(number)\n")
        }
        #expect(try home.security("verify").code == 0)
    }

    @Test func `an interrupted rotation continues in the background after the next unlock`() throws {
        let lines = (0..<5_000).map { "machine host\($0).example login me password canary\($0)\n" }
        try Data(lines.joined().utf8).write(to: URL(filePath: home.directory + "/netrc"))
        try home.run("cd; security import-passwords --from netrc netrc; rm netrc")
        try home.run("security set-keychain-password -p 'canary one'; mkfifo ~/events")
        try interruptRotation("security rotate-keys --json -p 'canary one'")
        try home.run("rm ~/events; security lock-keychain; security unlock-keychain -p 'canary one'")
        try waitForEnd()
        #expect(try home.security("verify", "--json").outputText.contains(#""intact":5000,"locked":0"#))
        try home.run("security lock-keychain; security unlock-keychain -p 'canary one'")
        let found = try home.security("find-internet-password", "-s", "host4999.example", "--raw")
        #expect(found.outputText == "canary4999")
        try home.run("security lock-keychain")
    }

    @Test func `an interrupted rotation continues in the background after the next change`() throws {
        let lines = (0..<5_000).map { "machine host\($0).example login me password canary\($0)\n" }
        try Data(lines.joined().utf8).write(to: URL(filePath: home.directory + "/netrc"))
        try home.run("cd; security import-passwords --from netrc netrc; rm netrc; mkfifo events")
        try interruptRotation("security rotate-keys --json")
        try home.run("rm ~/events; security list > /dev/null")
        #expect(try home.shell("security doctor").outputText.contains("rotate-keys"))
        try home.run("printf canary | security set service/me")
        try waitForEnd()
        #expect(try home.security("verify", "--json").outputText.contains(#""intact":5001,"locked":0"#))
    }

    @Test func `in interactive mode, no zombie remains of the process that continues a rotation`() throws {
        let lines = (0..<5_000).map { "machine host\($0).example login me password canary\($0)\n" }
        try Data(lines.joined().utf8).write(to: URL(filePath: home.directory + "/netrc"))
        try home.run("cd; security import-passwords --from netrc netrc; rm netrc; mkfifo events commands")
        try interruptRotation("security rotate-keys --json")
        try home.run(
            """
            cd; security -i < commands & tool=$!; exec 3> ~/commands
            echo 'add-generic-password -a me -s service -w canary' >&3
            waits() { for n in $(seq 300); do "$@" || return 0; sleep 0.1; done; return 1; }
            is_rotating() { security doctor | grep -q rotate-keys; }
            has_child() { grep -qs "^PPid:[[:space:]]*$tool\\$" /proc/[0-9]*/status; }
            waits is_rotating; waits has_child; exec 3>&-; wait $tool; rm ~/events ~/commands
            """
        )
    }

    /// Kills a rotation at its first event, when the new keys exist.
    ///
    /// Repeats this if the rotation was complete before it was killed; throws after ten complete rotations.
    private func interruptRotation(_ command: String) throws {
        for _ in 0..<10 {
            try home.run(
                """
                cd; \(command) > /dev/null 2> events & rotation=$!
                read -r event < ~/events; kill -9 $rotation || true; wait $rotation || true
                """
            )
            if try home.shell("security doctor").outputText.contains("rotate-keys") { return }
        }
        throw ToolProcess.Unstarted(code: 0)
    }

    @Test func `a rotation with a passcode prompts for it and unlocks the keychain`() throws {
        try home.run("printf canary | security set service/me")
        try home.run("cd; printf 'canary one\\n' > passcode; security set-keychain-password -p 'canary one'")
        try home.run("security lock-keychain")
        let wrong = try home.security("rotate-keys", "-p", "canary two")
        #expect(wrong.outputText == "" && wrong.code == 51)
        #expect(
            try home.shell("cd; security rotate-keys --passcode-fd 3 3< passcode").outputText
                == "re-encrypted: 1\n"
        )
        #expect(try home.security("get", "service/me").outputText == "canary\n")
        try home.run("security lock-keychain; security unlock-keychain -p 'canary one'; rm ~/passcode")
        #expect(try home.security("get", "service/me").outputText == "canary\n")
        try home.run("security lock-keychain")
    }
}
