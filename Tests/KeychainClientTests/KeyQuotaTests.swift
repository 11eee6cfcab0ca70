// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

/// Unlocking with a full keyring quota.
///
/// Each test is a user of its own, whose quota is filled; root's is another.
@Suite(
    .enabled(if: geteuid() == 0, "only root can become another user"),
    .enabled(if: LockedStore.places.contains(.kernelKeyring), "the kernel refuses its keyring")
)
struct KeyQuotaTests {
    /// Few enough that the empty keyrings, which the kernel keeps for each, are not many.
    private let user = UInt32.random(in: 1_000_000_000..<1_000_065_536)

    /// A process of the user over a store that is given to the user.
    private func start(over store: LockedStore, withRuntimeDirectory: Bool = false) throws -> ChildProcess {
        try store.give(to: user)
        let child = try TestTool.start(
            over: store.store,
            environment: withRuntimeDirectory ? store.environment : ["XDG_RUNTIME_DIR": "/nonexistent"]
        )
        #expect(try child.ask("become \(user)") == "0")
        return child
    }

    /// A locked store without a key in the keyring of root.
    private func makeStore() throws -> LockedStore {
        let store = try LockedStore(keysIn: .runtimeDirectory)
        store.restart()
        return store
    }

    @Test func `if the keyring quota is full, the runtime directory stores the keys`() throws {
        let store = try makeStore()
        let children = try (0..<2).map { _ in try start(over: store, withRuntimeDirectory: true) }
        defer { for child in children { child.end() } }
        #expect(try children[0].ask("fill-key-quota") == "\(EDQUOT)")
        #expect(try children[0].ask("unlock \(LockedStore.passcode)") == "0")
        for child in children { #expect(try child.ask("state") == "runtime directory, unlocked") }
        #expect(try children[1].ask("protected add ak canary-1") == "0")
        #expect(try children[0].ask("clear-keyring") == "0")
    }

    @Test func `an unlock that no other process can use fails`() throws {
        let store = try makeStore()
        let children = try (0..<2).map { _ in try start(over: store) }
        defer { for child in children { child.end() } }
        #expect(try children[0].ask("fill-key-quota") == "\(EDQUOT)")
        #expect(try children[0].ask("unlock \(LockedStore.passcode)") == "\(Status.notAvailable.rawValue)")
        #expect(try children[0].ask("state") == "this process only, unlocked")
        #expect(try children[1].ask("state") == "kernel keyring, locked since the start")
        #expect(try children[0].ask("clear-keyring") == "0")
    }

    @Test func `an unlock with a full quota discards keys of deleted stores`() throws {
        let (gone, store) = (try makeStore(), try makeStore())
        let first = try start(over: gone)
        let children = try (0..<2).map { _ in try start(over: store) }
        defer { for child in [first] + children { child.end() } }
        #expect(try first.ask("unlock \(LockedStore.passcode)") == "0")
        #expect(try first.ask("state") == "kernel keyring, unlocked")
        #expect(try first.ask("fill-key-quota") == "\(EDQUOT)")
        try gone.removeFiles()
        #expect(try children[0].ask("unlock \(LockedStore.passcode)") == "0")
        for child in children { #expect(try child.ask("state") == "kernel keyring, unlocked") }
        #expect(try children[0].ask("clear-keyring") == "0")
    }

    @Test func `an unlock with a full quota keeps the keys of existing stores`() throws {
        let (other, store) = (try makeStore(), try makeStore())
        let (first, second) = (try start(over: other), try start(over: store))
        defer { for child in [first, second] { child.end() } }
        #expect(try first.ask("unlock \(LockedStore.passcode)") == "0")
        #expect(try first.ask("fill-key-quota") == "\(EDQUOT)")
        #expect(try second.ask("unlock \(LockedStore.passcode)") == "\(Status.notAvailable.rawValue)")
        #expect(try first.ask("state") == "kernel keyring, unlocked")
        #expect(try first.ask("clear-keyring") == "0")
    }
}
