// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainDaemon
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// Limits of the daemon: the size of each user's store, and the range of users that it serves.
@Suite struct QuotaTests {
    private static func limits(_ change: (inout StoreLimits) -> Void) -> StoreLimits {
        var limits = StoreLimits()
        limits.freeBytes = 0
        change(&limits)
        return limits
    }

    @Test func `a store with the maximum number of items is read, and takes no further item`() throws {
        try LocalServer.with({ $0.limits.store = Self.limits { $0.rows = 3 } }) { server in
            let client = server.client()
            for number in 0..<3 { try NumberedItems.add(number, to: client) }
            #expect(throws: StatusError(.diskFull, .storeFull)) { try NumberedItems.add(3, to: client) }
            #expect(throws: StatusError(.diskFull, .storeFull)) {
                try NumberedItems.add(together: [4], to: client)
            }
            #expect(try NumberedItems.isStored(0, in: client))
            try NumberedItems.delete(0, from: client)
            try NumberedItems.add(3, to: client)
            #expect(try NumberedItems.isStored(3, in: client))
        }
    }

    @Test(arguments: [false, true])
    func `deleted synchronizable items do not count towards the limit of items`(together: Bool) throws {
        try LocalServer.with({ $0.limits.store = Self.limits { $0.rows = 3 } }) { server in
            let client = server.client()
            for number in 0..<8 {
                try NumberedItems.add(number, isSynchronizable: true, to: client)
                try NumberedItems.delete(number, isSynchronizable: true, together: together, from: client)
            }
            try NumberedItems.add(8, to: client)
            #expect(try NumberedItems.isStored(8, in: client))
        }
    }

    @Test func `on a nearly full disk, items are read and deleted, and none is added`() throws {
        let configure: (inout ServerConfiguration) throws -> Void = { configuration in
            configuration.limits.store = Self.limits { $0.freeBytes = .max - 1 }
            guard case .user(let directory) = configuration.service else { return }
            let location = StoreLocation(directory: directory, createsIfMissing: true)
            let keychain = try EmbeddedKeychain(at: location)
            _ = try keychain.perform(NumberedItems.addition(0), for: NumberedItems.caller)
        }
        try LocalServer.with(configure) { server in
            let client = server.client()
            #expect(throws: StatusError(.diskFull, .diskNearlyFull)) { try NumberedItems.add(1, to: client) }
            #expect(try NumberedItems.isStored(0, in: client))
            try NumberedItems.delete(0, from: client)
            #expect(throws: StatusError(.itemNotFound)) { try NumberedItems.isStored(0, in: client) }
        }
    }

    @Test func `a store of the maximum size is read and shrunk, and takes no further items`() throws {
        try LocalServer.with({ $0.limits.store = Self.limits { $0.bytes = 1 << 20 } }) { server in
            let client = server.client()
            var stored = 0
            var failure: StatusError?
            for number in 0..<1_000 where failure == nil {
                do throws(StatusError) {
                    try NumberedItems.add(number, size: 50_000, to: client)
                    stored += 1
                } catch {
                    failure = error
                }
            }
            #expect(failure?.status == .diskFull && failure?.reason == .storeFull)
            #expect((1..<100).contains(stored))
            #expect(try NumberedItems.isStored(0, size: 50_000, in: client))
            #expect(throws: StatusError(.diskFull, .storeFull)) {
                try NumberedItems.add(together: [2_000], to: client)
            }
            for number in 0..<stored { try NumberedItems.delete(number, from: client) }
            try NumberedItems.add(0, to: client)
            #expect(try NumberedItems.isStored(0, in: client))
        }
    }

    @Test(.enabled(if: SystemDaemon.isPossible, "needs root"))
    func `a user outside the configured range is not served`() throws {
        let alice = SystemDaemon.User.alice.rawValue
        try SystemDaemon.with(["--users", "\(alice)-\(alice)"]) { daemon in
            let program = try daemon.copyTool("program")
            let (served, other) = (try daemon.run(program, as: .alice), try daemon.run(program, as: .bob))
            defer { for child in [served, other] { child.end() } }
            #expect(try served.ask("add canary canary-value") == "0")
            #expect(try other.ask("add canary canary-value") == "-25291")
            var operations: [String] = []
            _ = try AuditLogReader.verify(daemon.state.appending(component: "audit").path) { record in
                if record["user"] == "\(SystemDaemon.User.bob.rawValue)" {
                    operations.append(record["operation"])
                }
            }
            #expect(!operations.isEmpty && operations.allSatisfy { $0 == "refuse" })
        }
    }

    @Test(arguments: ["1000", "1000-", "-1000", "2-1", "a-b", "1-2-3"])
    func `securityd refuses an invalid range of users`(range: String) throws {
        let child = try ChildProcess(
            DaemonProcess.executable,
            ["--system", "--as", "64001:64001", "--users", range],
            environment: [:]
        )
        defer { child.end() }
        #expect(try child.wait() == .exited(64))
    }
}
