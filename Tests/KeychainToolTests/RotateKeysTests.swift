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
