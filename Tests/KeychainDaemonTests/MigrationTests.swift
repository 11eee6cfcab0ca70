// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// `security migrate-to-daemon`: from an embedded store into the store of a daemon.
@Suite struct MigrationTests {
    static let every = Caller(applicationIdentifier: "test", accessGroups: ["*"])
    private static let passcode = "canary-passcode"

    static func item(_ number: Int, protection: ProtectionClass = .always) -> NewItem {
        var attributes = Attributes()
        attributes[.account] = .string("account \(number)")
        attributes[.service] = .string("canary")
        attributes[.label] = .string("label \(number)")
        attributes[.accessGroup] = .string("group.\(number % 3)")
        attributes[.accessible] = .string(protection.name)
        attributes[.synchronizable] = .number(number % 5 == 0 && protection == .always ? 1 : 0)
        return NewItem(
            itemClass: .genericPassword,
            attributes: attributes,
            secret: SecretBuffer(Array("canary-value \(number)".utf8))
        )
    }

    /// Calls the closure with a daemon and an embedded store beside the daemon's.
    private static func withStores(
        items count: Int,
        passcode: String? = nil,
        _ body: (DaemonProcess, EmbeddedKeychain, String) throws -> Void
    ) throws {
        try DaemonProcess.with { daemon in
            let path = daemon.directory.path + "/embedded"
            let source = try EmbeddedKeychain(at: StoreLocation(directory: path))
            if let passcode { try source.setPasscode(SecretBytes(text: passcode)) }
            let requests = (0..<count).map { Request.add(item($0)) }
            try source.perform(together: requests, for: every) { _ in true }
            try body(daemon, source, path)
        }
    }

    private static func migrate(
        _ daemon: DaemonProcess,
        _ path: String,
        _ arguments: [String] = [],
        passcode: String? = nil
    ) throws -> SecurityCommand.Result {
        try daemon.security(
            ["migrate-to-daemon"] + arguments + (passcode == nil ? [] : ["--passcode-fd", "0"]),
            input: passcode,
            environment: ["KEYCHAIN_HOME": path]
        )
    }

    /// Returns selected attributes and the value of each generic password, by account.
    ///
    /// Items with an access control are left out. Without `withGroups`, the attributes do not include the access group.
    static func contents(
        withGroups: Bool = true,
        _ perform: (Request) throws -> Response
    ) throws -> [AttributeValue: [String]] {
        var search = CopyRequest(
            filter: ItemFilter(itemClass: .genericPassword, synchronizable: .any),
            limit: .all,
            returning: [.attributes, .data]
        )
        search.skipsConstrained = true
        guard case .items(let items) = try perform(.copy(search)) else { return [:] }
        var contents: [AttributeValue: [String]] = [:]
        for item in items {
            let kept: [Attribute] = [
                .accessGroup, .service, .label, .accessible, .synchronizable, .creationDate,
                .modificationDate,
            ]
            let compared = kept.filter { withGroups || $0 != .accessGroup }
            let attributes = compared.map { "\($0)=\(String(describing: item.attributes[$0]))" }
            let value = item.secret.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "none"
            contents[item.attributes[.account] ?? .number(0)] = attributes + [value]
        }
        return contents
    }

    private static func contents(of daemon: DaemonProcess) throws -> [AttributeValue: [String]] {
        let client = daemon.client(["*"])
        return try contents { try client.perform($0, for: every, with: .none) }
    }

    @Test func `all items move with their dates, and the old store is renamed`() throws {
        try Self.withStores(items: 150) { daemon, source, path in
            let before = try Self.contents { try source.perform($0, for: Self.every) }
            #expect(before.count == 150)
            let result = try Self.migrate(daemon, path)
            #expect(result.isSuccess, "\(result.text)")
            #expect(result.text.contains("items moved: 150"))
            #expect(try Self.contents(of: daemon) == before)
            #expect(!FileManager.default.fileExists(atPath: path))
            #expect(FileManager.default.fileExists(atPath: path + ".migrated/keychain.db"))
        }
    }

    @Test func `a dry run changes neither store`() throws {
        try Self.withStores(items: 10) { daemon, source, path in
            let result = try Self.migrate(daemon, path, ["--dry-run", "--json"])
            #expect(result.isSuccess, "\(result.text)")
            #expect(result.text.contains("\"dryRun\":true") && result.text.contains("\"moved\":10"))
            let objects = result.lines.filter { !$0.contains("\"event\":") }
            #expect(objects.count == 1 && DocumentedMembers.describe(objects[0], of: "migrate-to-daemon"))
            #expect(throws: StatusError.self) { try Self.contents(of: daemon) }
            #expect(try Self.contents { try source.perform($0, for: Self.every) }.count == 10)
        }
    }

    @Test func `a store with a passcode moves with its passcode and its access controls`() throws {
        try Self.withStores(items: 3, passcode: Self.passcode) { daemon, source, path in
            let key = try source.authenticate(with: SecretBytes(text: Self.passcode))
            var constrained = Self.item(100, protection: .whenUnlocked)
            constrained.attributes[.accessible] = nil
            constrained.accessControl = AccessControl(
                protection: .whenPasscodeSetThisDeviceOnly,
                flags: ConstraintBit.devicePasscode
            )
            _ = try source.perform(
                .add(constrained),
                for: Self.every,
                with: Credential(accessControlKey: key)
            )
            let result = try Self.migrate(daemon, path, passcode: Self.passcode)
            #expect(result.isSuccess, "\(result.text)")
            #expect(result.text.contains("items moved: 4"))
            try daemon.run(as: ["group.1"]) { () throws in
                let authentication = try Authentication.none.proving(SecretBytes(text: Self.passcode))
                var filter = ItemFilter(itemClass: .genericPassword)
                filter.attributes[.account] = .string("account 100")
                let search = Request.copy(CopyRequest(filter: filter, returning: .data))
                #expect(throws: StatusError.self) { try SystemKeychain.perform(search) }
                guard case .items(let items) = try SystemKeychain.perform(search, with: authentication) else {
                    return
                }
                #expect(items.first?.secret?.bytes == Array("canary-value 100".utf8))
            }
        }
    }

    @Test func `the old store is kept if the passcode does not open one of its items`() throws {
        try Self.withStores(items: 3) { daemon, source, path in
            var constrained = Self.item(100)
            constrained.attributes[.accessible] = nil
            constrained.attributes[.synchronizable] = .number(0)
            constrained.accessControl = AccessControl(
                protection: .whenUnlocked,
                flags: ConstraintBit.applicationPassword
            )
            let password = ApplicationPassword(SecretBytes(text: "canary-password"))
            _ = try source.perform(
                .add(constrained),
                for: Self.every,
                with: Credential(applicationPassword: password)
            )
            let result = try Self.migrate(daemon, path)
            #expect(!result.isSuccess && result.text.contains("1 cannot be read with the passcode alone"))
            #expect(FileManager.default.fileExists(atPath: path + "/keychain.db"))
            #expect(try Self.contents(of: daemon).count == 3)
        }
    }

    @Test func `a migration into a daemon store with items is refused without its passcode`() throws {
        try Self.withStores(items: 3) { daemon, _, path in
            #expect(try Self.migrate(daemon, path, ["--dry-run"]).isSuccess)
            let target = try EmbeddedKeychain(at: StoreLocation(directory: daemon.directory.path + "/store"))
            try target.setPasscode(SecretBytes(text: Self.passcode))
            var other = Self.item(1)
            other.secret = SecretBuffer(Array("canary-other".utf8))
            _ = try target.perform(.add(other), for: Self.every)
            // The daemon's store has a passcode, so the migration needs this passcode.
            let refused = try Self.migrate(daemon, path)
            #expect(!refused.isSuccess)
            #expect(try Self.contents(of: daemon).count == 1)
        }
    }

    @Test func `the access group of items can be changed`() throws {
        try Self.withStores(items: 6) { daemon, _, path in
            let result = try Self.migrate(
                daemon,
                path,
                ["--group", "group.0=TEAM.a", "--group", "group.1=TEAM.b"]
            )
            #expect(result.isSuccess, "\(result.text)")
            for (group, count) in [("TEAM.a", 2), ("TEAM.b", 2), ("group.2", 2), ("group.0", 0)] {
                #expect(try daemon.client([group]).itemCount(in: [group]) == UInt64(count))
            }
        }
    }

    @Test func `the files that the daemon serves are not moved`() throws {
        try DaemonProcess.with { daemon in
            try daemon.run(as: ["group.1"]) { () throws in
                _ = try SystemKeychain.perform(.add(Self.item(1, protection: .whenUnlocked)))
            }
            let result = try Self.migrate(daemon, daemon.store.path)
            #expect(!result.isSuccess)
            #expect(FileManager.default.fileExists(atPath: daemon.store.path + "/keychain.db"))
        }
    }

    /// Begins a migration without a passcode.
    private static func begin(_ client: RawClient) throws -> DaemonReply? {
        try client.call(.secret(.beginMigration, SentSecret(SecretBytes(text: ""))))
    }

    /// Returns a client that may migrate items into the daemon's store without a passcode.
    private static func permittedClient(of daemon: DaemonProcess) throws -> RawClient {
        let client = try RawClient.introduced(to: daemon.socketPath)
        guard case .response(.done) = try begin(client) else {
            throw AttackFailure(description: "the daemon does not permit the migration")
        }
        return client
    }

    @Test(arguments: [UserTeams.accessGroup, KeyToken.privateGroup])
    func `a migration adds no item to the groups that the daemon uses itself`(group: String) throws {
        try DaemonProcess.with { daemon in
            let attacker = try Self.permittedClient(of: daemon)
            var item = Self.item(1)
            item.attributes[.accessGroup] = .string(group)
            guard case .failure(let error) = try attacker.call(.migrate([item], verifies: false)) else {
                return #expect(Bool(false), "migrated")
            }
            #expect(error.reason == .migrationRefused)
            #expect(throws: StatusError(.itemNotFound)) { try Self.contents(of: daemon) }
        }
    }

    @Test func `a permission to migrate without a passcode ends when the store gets a passcode`() throws {
        try DaemonProcess.with { daemon in
            let attacker = try Self.permittedClient(of: daemon)
            guard case .skipped([]) = try attacker.call(.migrate([Self.item(1)], verifies: false)) else {
                return #expect(Bool(false), "not migrated")
            }
            try daemon.client().setPasscode(SecretBytes(text: Self.passcode))
            for (number, verifies) in [(2, false), (1, true)] {
                let reply = try attacker.call(.migrate([Self.item(number)], verifies: verifies))
                guard case .failure(let error) = reply else {
                    return #expect(Bool(false), "migrated after the passcode was set")
                }
                #expect(error.reason == .migrationRefused)
            }
            #expect(try Self.contents(of: daemon).count == 1)
        }
    }

    @Test(arguments: [-90_000, 3_600])
    func `a migration without a passcode that began more than a day ago, or in the future, is refused`(
        seconds: Double
    ) throws {
        try DaemonProcess.with { daemon in
            let client = try Self.permittedClient(of: daemon)
            guard case .skipped([]) = try client.call(.migrate([Self.item(1)], verifies: false)) else {
                return #expect(Bool(false), "not migrated")
            }
            // A second program may continue the migration.
            _ = try Self.permittedClient(of: daemon)
            let marker = daemon.store.path + "/migration"
            let start = Date(timeIntervalSinceNow: seconds)
            try FileManager.default.setAttributes([.modificationDate: start], ofItemAtPath: marker)
            for reply in try [
                client.call(.migrate([Self.item(2)], verifies: false)),
                Self.begin(RawClient.introduced(to: daemon.socketPath)),
            ] {
                guard case .failure(let error) = reply else {
                    return #expect(Bool(false), "the migration can still be completed")
                }
                #expect(error.reason == .migrationRefused)
            }
            #expect(try Self.contents(of: daemon).count == 1)
        }
    }

    @Test func `a migration into an empty store can begin again after a day`() throws {
        try DaemonProcess.with { daemon in
            _ = try Self.permittedClient(of: daemon)
            let past = Date(timeIntervalSinceNow: -90_000)
            let marker = daemon.store.path + "/migration"
            try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: marker)
            let client = try Self.permittedClient(of: daemon)
            guard case .skipped([]) = try client.call(.migrate([Self.item(1)], verifies: false)) else {
                return #expect(Bool(false), "not migrated")
            }
        }
    }

    /// The program and the daemon are killed at random times; the last run completes the migration.
    @Test func `nothing is lost if the program or the daemon is killed`() throws {
        var random = SeededGenerator(seed: Sampling.seed)
        try Self.withStores(items: 400) { daemon, source, path in
            let before = try Self.contents { try source.perform($0, for: Self.every) }
            for round in 0..<(Sampling.isThorough ? 40 : 8) {
                let child = try SecurityCommand.start(
                    ["migrate-to-daemon"],
                    environment: [
                        "XDG_RUNTIME_DIR": daemon.directory.path, "HOME": daemon.directory.path,
                        "KEYCHAIN_HOME": path, "KEYCHAIN_PINENTRY": "",
                    ]
                )
                usleep(UInt32.random(in: 0..<200_000, using: &random))
                if round % 2 == 0 {
                    child.end()
                } else {
                    daemon.child.end()
                    child.end()
                    try daemon.restart()
                }
                // Every item is in the embedded store or in the daemon's store.
                let isRenamed = !FileManager.default.fileExists(atPath: path)
                let moved = (try? Self.contents(of: daemon)) ?? [:]
                let kept = isRenamed ? [:] : try Self.contents { try source.perform($0, for: Self.every) }
                for (account, content) in before {
                    #expect(kept[account] == content || moved[account] == content)
                }
                if isRenamed { break }
            }
            if FileManager.default.fileExists(atPath: path) {
                let result = try Self.migrate(daemon, path)
                #expect(result.isSuccess, "\(result.text)")
            }
            #expect(try Self.contents(of: daemon) == before)
        }
    }
}

extension SecretBytes {
    init(text: String) {
        var bytes = Array(text.utf8)
        self.init(moving: &bytes)
    }
}
