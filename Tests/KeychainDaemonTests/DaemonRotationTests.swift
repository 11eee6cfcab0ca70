// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// `security rotate-keys` while securityd serves the keychain and re-encrypts its items in the background.
@Suite struct DaemonRotationTests {
    private typealias Maintenance = DaemonMaintenanceTests

    private static let passcode = "canary passcode"

    private static func embedded(_ daemon: DaemonProcess) throws -> EmbeddedKeychain {
        try EmbeddedKeychain(at: StoreLocation(directory: daemon.store.path))
    }

    /// Waits until the rotation has ended; reads the store's files without calling the daemon.
    private static func waitForEnd(of daemon: DaemonProcess) throws {
        for _ in 0..<600 {
            if try !embedded(daemon).isRotatingKeys() { return }
            usleep(50_000)
        }
        Issue.record("the rotation does not end")
    }

    /// Kills the daemon during a rotation; tries again if the rotation ended before the kill.
    private static func interrupt(_ daemon: DaemonProcess, _ passcode: String = "") throws {
        for _ in 0..<10 {
            let client = daemon.client(["*"])
            var bytes = Array(passcode.utf8)
            try client.beginKeyRotation(with: SecretBytes(moving: &bytes))
            daemon.send(SIGKILL)
            _ = try daemon.child.wait()
            if try embedded(daemon).isRotatingKeys() { return }
            try daemon.restart()
        }
        Issue.record("every rotation ended before the daemon was killed")
    }

    @Test func `every item is encrypted under new keys, and stays readable`() throws {
        try DaemonProcess.with { daemon in
            try Maintenance.fill(daemon, (0..<600).map { Maintenance.item($0) })
            let before = try Maintenance.values(of: daemon)
            let rotated = try daemon.security(["rotate-keys", "--json"])
            #expect(rotated.isSuccess, "\(rotated.text)")
            #expect(
                rotated.text.contains(
                    #"{"schemaVersion":1,"reencrypted":600,"damaged":0,"complete":true}"#
                ),
                "\(rotated.text)"
            )
            #expect(rotated.text.contains(#""event":"progress","operation":"rotate-keys""#))
            #expect(try Maintenance.values(of: daemon) == before)
            #expect(try daemon.security(["verify"]).text.contains("intact: 600"))
            #expect(try !daemon.security(["doctor"]).text.contains("rotate-keys"))
        }
    }

    @Test func `a rotation with a passcode needs it`() throws {
        try DaemonProcess.with { daemon in
            try Maintenance.fill(daemon, (0..<3).map { Maintenance.item($0, .whenUnlocked) })
            #expect(try daemon.security(["set-keychain-password", "-p", Self.passcode]).isSuccess)
            let wrong = try daemon.security(["rotate-keys", "-p", "canary other"])
            #expect(wrong.ending == .exited(51), "\(wrong.text)")
            #expect(try !Self.embedded(daemon).isRotatingKeys())
            #expect(throws: StatusError(.authenticationFailed, .passcodeExists)) {
                try daemon.client(["*"]).beginKeyRotation()
            }
            let rotated = try daemon.security(["rotate-keys", "-p", Self.passcode])
            #expect(rotated.isSuccess && rotated.text.contains("re-encrypted: 3"), "\(rotated.text)")
            #expect(try daemon.security(["lock-keychain"]).isSuccess)
            #expect(try daemon.security(["unlock-keychain", "-p", Self.passcode]).isSuccess)
            #expect(try Maintenance.values(of: daemon).count == 3)
            #expect(try daemon.security(["lock-keychain"]).isSuccess)
        }
    }

    @Test func `with --background, the daemon continues after the command`() throws {
        try DaemonProcess.with { daemon in
            try Maintenance.fill(daemon, (0..<600).map { Maintenance.item($0) })
            let begun = try daemon.security(["rotate-keys", "--background", "--json"])
            #expect(begun.isSuccess && begun.text.contains(#""background":true"#), "\(begun.text)")
            try Self.waitForEnd(of: daemon)
            #expect(try daemon.security(["verify"]).text.contains("intact: 600"))
        }
    }

    @Test func `without a passcode, an interrupted rotation continues when the daemon starts`() throws {
        try DaemonProcess.with { daemon in
            try Maintenance.fill(daemon, (0..<3_000).map { Maintenance.item($0) })
            try Self.interrupt(daemon)
            try daemon.restart()
            try Self.waitForEnd(of: daemon)
            #expect(try daemon.security(["verify"]).text.contains("intact: 3000"))
        }
    }

    @Test func `with a passcode, an interrupted rotation continues after the next unlock`() throws {
        try DaemonProcess.with { daemon in
            try Maintenance.fill(daemon, (0..<3_000).map { Maintenance.item($0, .whenUnlocked) })
            #expect(try daemon.security(["set-keychain-password", "-p", Self.passcode]).isSuccess)
            try Self.interrupt(daemon, Self.passcode)
            try Self.embedded(daemon).lock()
            try daemon.restart()
            let doctor = try daemon.security(["doctor"])
            #expect(doctor.text.contains("a rotation of keys was interrupted"), "\(doctor.text)")
            #expect(try daemon.security(["unlock-keychain", "-p", Self.passcode]).isSuccess)
            try Self.waitForEnd(of: daemon)
            #expect(try daemon.security(["verify"]).text.contains("intact: 3000"))
            #expect(try daemon.security(["lock-keychain"]).isSuccess)
        }
    }

    @Test func `damaged rows keep the former keys until a repair`() throws {
        try DaemonProcess.with { daemon in
            try Maintenance.fill(daemon, (0..<4).map { Maintenance.item($0) })
            try Maintenance.change(daemon, by: "UPDATE item SET attributes = zeroblob(99) WHERE id = 2")
            let rotated = try daemon.security(["rotate-keys"])
            #expect(rotated.ending == .exited(93), "\(rotated.text)")
            #expect(rotated.text.contains("damaged rows: 1; the former keys stay"), "\(rotated.text)")

            let preview = try daemon.security(["repair", "--dry-run"])
            #expect(preview.isSuccess && preview.text.contains("damaged: 1"), "\(preview.text)")
            #expect(try daemon.security(["verify"]).ending == .exited(93))
            let repaired = try daemon.security(["repair"])
            #expect(repaired.isSuccess && repaired.text.contains("salvaged: 3"), "\(repaired.text)")
            let names = try FileManager.default.contentsOfDirectory(atPath: daemon.directory.path)
            #expect(names.count { $0.hasPrefix("store.damaged-") } == 1)
            #expect(try Maintenance.values(of: daemon).count == 3)
            #expect(try daemon.security(["verify"]).isSuccess)

            let resumed = try daemon.security(["rotate-keys"])
            #expect(resumed.isSuccess, "\(resumed.text)")
            #expect(try !Self.embedded(daemon).isRotatingKeys())
        }
    }

    @Test func `a repair names only the program's own access groups`() throws {
        try DaemonProcess.with { daemon in
            try Maintenance.fill(daemon, (0..<12).map { Maintenance.item($0) })
            try Maintenance.change(daemon, by: "UPDATE item SET secret = zeroblob(99) WHERE id <= 6")
            let seen = try daemon.client(["security"]).repair(dryRun: true).verification
            #expect(seen.damages.count == 6)
            #expect(Set(seen.damages.compactMap(\.group)) == ["security"])
        }
    }
}
