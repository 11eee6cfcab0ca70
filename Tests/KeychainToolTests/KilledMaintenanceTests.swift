// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// Backup, restore, repair and rotation of keys, killed at times that are spread over a whole run.
@Suite struct KilledMaintenanceTests {
    private static let itemCount = 3_000
    private static let passphrase = "canary passphrase"

    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        let lines = (0..<Self.itemCount).map { "machine host\($0).example login me password canary\($0)\n" }
        try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: home.directory + "/netrc"))
        try Data(Self.passphrase.utf8).write(to: URL(fileURLWithPath: home.directory + "/passphrase"))
        try home.run("cd; security import-passwords --from netrc netrc; rm netrc")
    }

    /// Runs a command on a store, and kills it after `delay`, or never if this is `nil`.
    ///
    /// - Returns: Whether the command succeeded before it could be killed.
    private func security(
        _ arguments: [String],
        in store: String,
        killedAfter delay: useconds_t?
    ) throws -> Bool {
        var environment = home.environment
        environment["KEYCHAIN_HOME"] = store
        let process = try ToolProcess(
            ToolProcess.executable,
            arguments,
            environment: environment,
            input: home.directory + "/passphrase",
            output: "/dev/null",
            complaints: "/dev/null"
        )
        guard let delay else { return try process.wait(seconds: 60) == 0 }
        usleep(delay)
        kill(process.identifier, SIGKILL)
        let code = try process.wait(seconds: 60)
        #expect(code == 0 || code == 128 + SIGKILL)
        return code == 0
    }

    /// Measures the duration of `whole`, and calls `body` with delays from zero to more than that duration.
    private func spread(_ whole: () throws -> Void, _ body: (useconds_t) throws -> Void) throws {
        let start = ContinuousClock.now
        try whole()
        let duration = (ContinuousClock.now - start) / .microseconds(1)
        let times = Sampling.some(8, of: Array(0..<32), for: "times of a kill")
        for time in times { try body(useconds_t(duration * Double(time) / 24)) }
    }

    /// The numbers of intact and damaged items, as `verify` prints them.
    private func verified(_ store: String) throws -> String {
        let line = "KEYCHAIN_HOME='\(store)' security verify --json 2> /dev/null"
        let output = try home.shell("\(line) | grep -o -e '\"intact\":[0-9]*' -e '\"damaged\":.*'").outputText
        return output.split(separator: "\n").joined(separator: " ")
    }

    private static func intact(_ count: Int) -> String {
        "\"intact\":\(count) \"damaged\":[],\"problems\":[]}"
    }

    @Test func `a backup that is killed leaves a complete file or none`() throws {
        let file = home.directory + "/copy.backup"
        try spread {
            #expect(try security(["backup", file, "-P"], in: home.store, killedAfter: nil))
            try FileManager.default.removeItem(atPath: file)
        } _: { delay in
            let hasEnded = try security(["backup", file, "-P"], in: home.store, killedAfter: delay)
            let exists = FileManager.default.fileExists(atPath: file)
            #expect(exists || !hasEnded)
            if exists {
                let read = ["restore", file, "--dry-run", "--on-conflict", "skip", "-P"]
                #expect(try security(read, in: home.store, killedAfter: nil))
                try FileManager.default.removeItem(atPath: file)
            }
        }
        #expect(try verified(home.store) == Self.intact(Self.itemCount))
    }

    @Test func `a restore that is killed adds all items or none, and succeeds when it is repeated`() throws {
        let file = home.directory + "/copy.backup"
        #expect(try security(["backup", file, "-P"], in: home.store, killedAfter: nil))
        var number = 0
        func newStore() -> String {
            number += 1
            return "\(home.directory)/new\(number)"
        }
        let restore = ["restore", file, "--on-conflict", "skip", "-P"]
        try spread {
            let isRestored = try security(restore, in: newStore(), killedAfter: nil)
            #expect(isRestored)
        } _: { delay in
            let store = newStore()
            let hasEnded = try security(restore, in: store, killedAfter: delay)
            if FileManager.default.fileExists(atPath: store) {
                // A restore that is killed while it creates the store leaves a directory without a keychain.
                let unfinished = hasEnded ? [] : ["", Self.intact(0)]
                #expect(try (unfinished + [Self.intact(Self.itemCount)]).contains(verified(store)))
            }
            #expect(try security(restore, in: store, killedAfter: nil))
            #expect(try verified(store) == Self.intact(Self.itemCount))
        }
    }

    @Test func `a rotation of keys that is killed while others write loses no item, and resumes`() throws {
        var written = 0
        try spread {
            let isRotated = try security(["rotate-keys"], in: home.store, killedAfter: nil)
            #expect(isRotated)
        } _: { delay in
            let line = """
                for n in 1 2 3; do printf canary | security set written$n-\(written)/me || exit 1; done
                """
            let writer = try ToolProcess(
                "/bin/sh",
                ["-c", line],
                environment: home.environment,
                input: "/dev/null",
                output: "/dev/null",
                complaints: "/dev/null"
            )
            _ = try security(["rotate-keys"], in: home.store, killedAfter: delay)
            #expect(try writer.wait(seconds: 60) == 0)
            written += 1
            #expect(try verified(home.store) == Self.intact(Self.itemCount + 3 * written))
            if written.isMultiple(of: 2) {
                #expect(try security(["rotate-keys"], in: home.store, killedAfter: nil))
            }
        }
        #expect(try security(["rotate-keys"], in: home.store, killedAfter: nil))
        #expect(try verified(home.store) == Self.intact(Self.itemCount + 3 * written))
        #expect(try !home.shell("security doctor").outputText.contains("rotate-keys"))
    }

    @Test func `a repair that is killed loses no item, and succeeds when it is repeated`() throws {
        var number = 0
        func newStore() throws -> String {
            number += 1
            let store = "\(home.directory)/damaged\(number)"
            try home.run("cp -a '\(home.store)' '\(store)'")
            try home.run(
                "/usr/bin/python3 -c \"import sqlite3; d = sqlite3.connect('\(store)/keychain.db'); d.execute('DELETE FROM item_index WHERE item < 1000'); d.commit()\" 2> /dev/null || true"
            )
            return store
        }
        try spread {
            let isRepaired = try security(["repair"], in: newStore(), killedAfter: nil)
            #expect(isRepaired)
        } _: { delay in
            let store = try newStore()
            _ = try security(["repair"], in: store, killedAfter: delay)
            #expect(try security(["repair"], in: store, killedAfter: nil))
            #expect(try verified(store) == Self.intact(Self.itemCount))
        }
    }
}
