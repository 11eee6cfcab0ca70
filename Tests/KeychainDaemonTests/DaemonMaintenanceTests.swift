// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// `security verify`, `backup`, `restore`, `repair` and `rotate-keys` while securityd serves the keychain.
@Suite struct DaemonMaintenanceTests {
    private static let passphrase = "canary-passphrase"
    static let every = Caller(applicationIdentifier: "test", accessGroups: ["*"])

    static func item(_ number: Int, _ protection: ProtectionClass = .always) -> NewItem {
        var attributes = Attributes()
        attributes[.account] = .string("account \(number)")
        attributes[.service] = .string("canary")
        attributes[.accessGroup] = .string(number % 2 == 0 ? "security" : "group.\(number % 3)")
        attributes[.accessible] = .string(protection.name)
        attributes[.synchronizable] = .number(number % 5 == 0 && protection == .always ? 1 : 0)
        return NewItem(
            itemClass: .genericPassword,
            attributes: attributes,
            secret: SecretBuffer(Array("canary-value \(number)".utf8))
        )
    }

    static func fill(_ daemon: DaemonProcess, _ items: [NewItem]) throws {
        let client = daemon.client(["*"])
        try client.perform(
            together: items.map { .add($0) },
            with: .none,
            skip: nil,
            progress: { _ in true },
            undone: { _ in }
        )
    }

    /// Changes the database of the daemon's store by an SQL statement, in another process.
    static func change(_ daemon: DaemonProcess, by statement: String) throws {
        let script = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1])
            database.execute(sys.argv[2])
            database.commit()
            """
        let arguments = ["-c", script, daemon.store.path + "/keychain.db", statement]
        let python = try ChildProcess("/usr/bin/python3", arguments, environment: [:])
        defer { python.end() }
        try #require(try python.wait() == .exited(0))
    }

    static func values(of daemon: DaemonProcess) throws -> [AttributeValue: String] {
        let search = CopyRequest(
            filter: ItemFilter(itemClass: .genericPassword, synchronizable: .any),
            limit: .all,
            returning: [.attributes, .data]
        )
        let client = daemon.client(["*"])
        guard case .items(let items) = try client.perform(.copy(search), for: every, with: .none) else {
            return [:]
        }
        return Dictionary(
            uniqueKeysWithValues: items.map { item in
                let secret = String(decoding: item.secret?.bytes ?? [], as: UTF8.self)
                let kept = [Attribute.accessGroup, .accessible, .synchronizable].map { item.attributes[$0] }
                return (item.attributes[.account] ?? .number(0), "\(secret) \(kept)")
            }
        )
    }

    @Test func `a backup through the user service has every item, and is restored through another one`()
        throws
    {
        try DaemonProcess.with { daemon in
            try Self.fill(daemon, (0..<150).map { Self.item($0) } + [Self.item(200, .alwaysThisDeviceOnly)])
            let file = daemon.directory.path + "/file"
            let made = try daemon.security(["backup", file, "-P"], input: Self.passphrase)
            #expect(made.isSuccess && made.text.contains("backed up: 150"), "\(made.text)")
            #expect(made.text.contains("never leaves this device: 1"), "\(made.text)")
            let before = try Self.values(of: daemon)

            try DaemonProcess.with { other in
                let dry = try other.security(["restore", file, "--dry-run", "-P"], input: Self.passphrase)
                #expect(dry.isSuccess && dry.text.contains("would be added: 150"), "\(dry.text)")
                let restored = try other.security(["restore", file, "-P"], input: Self.passphrase)
                #expect(restored.isSuccess && restored.text.contains("added: 150"), "\(restored.text)")
                var after = try Self.values(of: other)
                #expect(after.count == 150)
                after[.string("account 200")] = before[.string("account 200")]
                #expect(after == before)
                let failed = try other.security(["restore", file, "-P"], input: Self.passphrase)
                #expect(failed.ending == .exited(45))
                let skipped = try other.security(
                    ["restore", file, "--on-conflict", "skip", "-P"],
                    input: Self.passphrase
                )
                #expect(skipped.text.contains("skipped: 150"), "\(skipped.text)")
                let replaced = try other.security(
                    ["restore", file, "--on-conflict", "replace", "-P"],
                    input: Self.passphrase
                )
                #expect(replaced.text.contains("replaced: 150"), "\(replaced.text)")
                #expect(try Self.values(of: other).count == 150)
            }
        }
    }

    @Test func `a backup counts the items that require an application password`() throws {
        try DaemonProcess.with { daemon in
            try Self.fill(daemon, (0..<3).map { Self.item($0) })
            let added = try daemon.security([
                "add-generic-password", "-s", "app", "-a", "me", "--access-control", "application-password",
                "--application-password", "canary app", "-X", "01",
            ])
            #expect(added.isSuccess, "\(added.text)")
            let file = daemon.directory.path + "/file"
            let made = try daemon.security(["backup", file, "-P"], input: Self.passphrase)
            #expect(made.isSuccess && made.text.contains("backed up: 3"), "\(made.text)")
            #expect(made.text.contains("they have an access control: 1"), "\(made.text)")
            #expect(!made.text.contains("other programs"), "\(made.text)")
        }
    }

    @Test func `a damaged backup changes nothing`() throws {
        try DaemonProcess.with { daemon in
            try Self.fill(daemon, (0..<3).map { Self.item($0) })
            let file = daemon.directory.path + "/file"
            #expect(try daemon.security(["backup", file, "-P"], input: Self.passphrase).isSuccess)
            var bytes = try Data(contentsOf: URL(filePath: file))
            bytes[bytes.count - 1] ^= 1
            try bytes.write(to: URL(filePath: file))
            try DaemonProcess.with { other in
                let result = try other.security(["restore", file, "-P"], input: Self.passphrase)
                #expect(result.ending == .exited(93), "\(result.text)")
                #expect(throws: StatusError.self) { try Self.values(of: other) }
            }
        }
    }

    @Test func `an interrupted restore is completed by another one that skips what exists`() throws {
        try DaemonProcess.with { daemon in
            try Self.fill(daemon, (0..<200).map { Self.item($0) })
            let file = daemon.directory.path + "/file"
            #expect(try daemon.security(["backup", file, "-P"], input: Self.passphrase).isSuccess)
            try DaemonProcess.with { other in
                // Adds the same items as a restore that is interrupted after the first of its batches.
                try Self.fill(other, (0..<64).map { Self.item($0) })
                let rest = try other.security(
                    ["restore", file, "--on-conflict", "skip", "-P"],
                    input: Self.passphrase
                )
                #expect(rest.text.contains("added: 136") && rest.text.contains("skipped: 64"), "\(rest.text)")
                #expect(try Self.values(of: other) == Self.values(of: daemon))
            }
        }
    }

    @Test func `verify and doctor check every row of the daemon's store`() throws {
        try DaemonProcess.with { daemon in
            try Self.fill(daemon, (0..<4).map { Self.item($0) })
            let intact = try daemon.security(["verify"])
            #expect(intact.isSuccess && intact.text.contains("intact: 4"), "\(intact.text)")
            let doctor = try daemon.security(["doctor"])
            #expect(doctor.text.contains("integrity: no row is damaged"), "\(doctor.text)")
            try Self.change(daemon, by: "UPDATE item SET attributes = zeroblob(99) WHERE id = 2")
            let damaged = try daemon.security(["verify", "--json"])
            #expect(damaged.ending == .exited(93), "\(damaged.text)")
            #expect(damaged.text.contains(#""row":2,"problem":"record""#), "\(damaged.text)")
            #expect(try daemon.security(["doctor"]).text.contains("integrity: damaged rows: 1"))
        }
    }

    @Test func `a program learns only the names of its own access groups from damage`() throws {
        try DaemonProcess.with { daemon in
            try Self.fill(daemon, (0..<12).map { Self.item($0) })
            // The name of a group is read from its intact items, so each group keeps some.
            try Self.change(daemon, by: "UPDATE item SET secret = zeroblob(99) WHERE id <= 6")
            let all = try daemon.client(["*"]).verification()
            #expect(Set(all.damages.compactMap(\.group)) == ["security", "group.0", "group.1", "group.2"])
            let seen = try daemon.client(["security"]).verification()
            #expect(seen.damages.count == 6)
            #expect(Set(seen.damages.compactMap(\.group)) == ["security"])
        }
    }

    /// The system service gives a program its own group only.
    @Test(.enabled("needs root") { SystemDaemon.isPossible })
    func `through the system service, a backup has the program's own items`() throws {
        try SystemDaemon.with { daemon in
            let user = SystemDaemon.User.alice
            let set = try daemon.security(["set", "mail.example/alice"], as: user, input: "canary-one")
            #expect(set.isSuccess, "\(set.text)")
            let directory = daemon.directory.path + "/backup"
            try #require(mkdir(directory, 0o700) == 0)
            chown(directory, user.rawValue, user.rawValue)
            let file = directory + "/file"
            let made = try daemon.security(["backup", file, "-P"], as: user, input: Self.passphrase)
            #expect(made.isSuccess && made.text.contains("backed up: 1"), "\(made.text)")
            #expect(try daemon.security(["verify"], as: user).text.contains("intact: 1"))
            #expect(try daemon.security(["rm", "mail.example/alice"], as: user).isSuccess)
            let restored = try daemon.security(["restore", file, "-P"], as: user, input: Self.passphrase)
            #expect(restored.isSuccess && restored.text.contains("added: 1"), "\(restored.text)")
            #expect(try daemon.security(["get", "mail.example/alice"], as: user).text == "canary-one")
            let rotated = try daemon.security(["rotate-keys"], as: user)
            #expect(rotated.isSuccess && rotated.text.contains("re-encrypted: "), "\(rotated.text)")
            let repaired = try daemon.security(["repair"], as: user)
            #expect(repaired.isSuccess && repaired.text.contains("nothing to repair"), "\(repaired.text)")
        }
    }
}
