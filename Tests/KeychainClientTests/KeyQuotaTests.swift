// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

private let path = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]

/// User identifiers for the tests, from a small range: the kernel keeps an empty keyring for each one used.
private let users: Range<UInt32> = 1_000_000_000..<1_000_065_536

/// Returns the arguments of `env` that run a program as another user.
private func arguments(_ user: UInt32, _ program: String...) -> [String] {
    ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"] + program
}

/// Returns whether this is root, and another user can execute the program.
///
/// In a user namespace, the other user may not exist.
private func otherUserRuns(_ program: String) throws -> Bool {
    guard geteuid() == 0 else { return false }
    let process = try ChildProcess(
        "/usr/bin/env",
        arguments(users.lowerBound, "test", "-x", program),
        environment: path
    )
    return try process.wait() == .exited(0)
}

/// The path of the built `security` command.
private let command = URL(filePath: TestTool.executable).deletingLastPathComponent()
    .appending(component: "security").path

/// Unlocking when the user's quota of kernel keys is exhausted.
///
/// Each test uses up the quota of its own user, because root has a different quota.
@Suite(
    .enabled("only root can become another user, who must be mapped in a user namespace") {
        try otherUserRuns("/usr/bin/env")
    },
    .enabled(if: LockedStore.cacheLocations.contains(.kernelKeyring), "the kernel refuses its keyring")
)
struct KeyQuotaTests {
    private let user = UInt32.random(in: users)

    /// Starts the test tool as the user, with a store that belongs to that user.
    private func start(over store: LockedStore, withRuntimeDirectory: Bool = false) throws -> ChildProcess {
        try store.give(to: user)
        let child = try TestTool.start(
            over: store.store,
            environment: withRuntimeDirectory ? store.environment : ["XDG_RUNTIME_DIR": "/nonexistent"]
        )
        #expect(try child.ask("become \(user)") == "0")
        return child
    }

    /// Returns a locked store whose keys are not in root's keyring.
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

    @Test(
        .enabled("another user cannot run the built command where it is") { try otherUserRuns(command) },
        arguments: [
            "set-keychain-password -p canary", "unlock-keychain -p \(LockedStore.passcode)",
            "set-keychain-password -o \(LockedStore.passcode) -p canary", "create-keychain -p canary",
            "create-keychain -p canary \"$1\"",
        ]
    )
    func `a command that leaves the keychain locked for others ends with 53`(line: String) throws {
        let store = try makeStore()
        let child = try start(over: store)
        defer { child.end() }
        #expect(try child.ask("fill-key-quota") == "\(EDQUOT)")
        let new = store.store.deletingLastPathComponent().appending(component: "new").path
        let isFirst = ["set-keychain-password -p canary", "create-keychain -p canary"].contains(line)
        let process = try ChildProcess(
            "/usr/bin/env",
            arguments(user, "sh", "-c", "\"$0\" \(line) 2>&1", command, new),
            environment: path.merging([
                "KEYCHAIN_HOME": isFirst ? new : store.store.path, "XDG_RUNTIME_DIR": "/nonexistent",
            ]) { $1 }
        )
        let lines = try process.readLines()
        #expect(try process.wait() == .exited(53), "\(lines)")
        #expect(try child.ask("clear-keyring") == "0")
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
