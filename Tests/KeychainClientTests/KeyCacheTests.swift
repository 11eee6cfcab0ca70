// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// The locations of the key cache: order of preference, fallbacks, and directories that are not trusted.
@Suite struct KeyCacheTests {
    private static let usable =
        LockedStore.cacheLocations.contains(.kernelKeyring) ? "kernel keyring" : "runtime directory"

    @Test(arguments: [ENOSYS, EPERM, EACCES, EDQUOT])
    func `keys are cached in the runtime directory if the kernel refuses its keyring`(error: Int32) throws {
        let store = try LockedStore(keysIn: .runtimeDirectory)
        let (one, other) = (
            try TestTool.start(over: store.store, environment: store.environment), try store.start()
        )
        defer { for child in [one, other] { child.end() } }
        #expect(try one.ask("refuse-keyrings \(error)") == "0")
        #expect(try one.ask("state") == "runtime directory, unlocked")
        #expect(try one.ask("protected add ak canary-1") == "0")
        #expect(try other.ask("protected data ak canary-1") == "0")
        #expect(try other.ask("lock") == "0")
        #expect(try one.ask("state") == "runtime directory, locked")
    }

    @Test(arguments: [ENOSYS, EPERM, EACCES, EDQUOT])
    func `without a key cache the keychain is unlocked for one process only, which is reported`(
        error: Int32
    ) throws {
        let store = try LockedStore(keysIn: .runtimeDirectory)
        store.restart()
        // Under cron or `ssh -T`, `XDG_RUNTIME_DIR` is not set, and /run/user is missing or not private.
        let children = try (0..<2).map { _ in
            try TestTool.start(over: store.store, environment: ["XDG_RUNTIME_DIR": "/nonexistent"])
        }
        defer { for child in children { child.end() } }
        for child in children {
            #expect(try child.ask("refuse-keyrings \(error)") == "0")
            #expect(try child.ask("state") == "this process only, locked since the start")
        }
        #expect(try children[0].ask("protected add ak canary-1") == "-25308")
        #expect(try children[0].ask("unlock \(LockedStore.passcode)") == "\(Status.notAvailable.rawValue)")
        #expect(try children[0].ask("protected add ak canary-1") == "0")
        #expect(try children[0].ask("state") == "this process only, unlocked")
        #expect(try children[1].ask("protected data ak canary-1") == "-25308")
        #expect(try children[1].ask("lock") == "0")
        #expect(try children[0].ask("protected data ak canary-1") == "-25308")
    }

    @Test(.enabled(if: LockedStore.cacheLocations.contains(.kernelKeyring), "the kernel refuses its keyring"))
    func `the actual key cache is reported if the kernel has no room for a key`() throws {
        let store = try LockedStore(keysIn: .kernelKeyring)
        let children = try ["/nonexistent", store.runtimeDirectory.path].map {
            try TestTool.start(over: store.store, environment: ["XDG_RUNTIME_DIR": $0])
        }
        defer { for child in children { child.end() } }
        for (number, name) in ["this process only", "runtime directory"].enumerated() {
            let child = children[number]
            #expect(try child.ask("state") == "kernel keyring, unlocked")
            #expect(try child.ask("refuse-new-keys \(EDQUOT)") == "0")
            let status = number == 0 ? Status.notAvailable : .success
            #expect(try child.ask("unlock \(LockedStore.passcode)") == "\(status.rawValue)")
            #expect(try child.ask("state") == "\(name), unlocked")
            #expect(try child.ask("protected add ak canary-\(number)") == "0")
            try store.keychain.unlock(with: SecretBytes(LockedStore.passcode))
        }
    }

    @Test func `opening a FIFO in place of a key file does not block`() throws {
        let store = try LockedStore(keysIn: .runtimeDirectory)
        let folder = store.runtimeDirectory.appending(component: "keychain")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let path = folder.appending(component: file).path
            #expect(unlink(path) == 0)
            #expect(mkfifo(path, 0o600) == 0)
        }
        let child = try store.start()
        defer { child.end() }
        #expect(try child.ask("protected data ak canary-1") == "-25300")
        #expect(try child.ask("protected add ak canary-1") == "-25308")
        #expect(throws: StatusError(.notAvailable, .notARegularFile)) {
            try store.keychain.unlock(with: SecretBytes(LockedStore.passcode))
        }
    }

    @Test func `an untrusted key cache does not count as a wrong guess`() throws {
        let store = try LockedStore(keysIn: .runtimeDirectory)
        let folder = store.runtimeDirectory.appending(component: "keychain")
        try store.keychain.lock()
        // Makes the key file of the `AfterFirstUnlock` classes readable by other users. An unlock checks this
        // file after it has cached the other keys.
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
        #expect(file.contains(":C"))
        #expect(chmod(folder.appending(component: file).path, 0o644) == 0)
        for _ in 0..<12 {
            #expect(throws: StatusError(.notAvailable, .fileNotPrivate)) {
                try store.keychain.unlock(with: SecretBytes(LockedStore.passcode))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        }
        #expect(chmod(folder.appending(component: file).path, 0o600) == 0)
        try store.keychain.unlock(with: SecretBytes(LockedStore.passcode))
    }

    @Test func `temporary files of killed processes are removed with the keys`() throws {
        let store = try LockedStore(keysIn: .runtimeDirectory)
        let folder = store.runtimeDirectory.appending(component: "keychain")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let unlocked = try #require(files.first { $0.contains(":A") })
        try Data("canary".utf8).write(to: folder.appending(component: unlocked + ".123.456"))
        try store.keychain.lock()
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.count == 1)
        #expect(left.allSatisfy { $0.contains(":C") })
    }

    @Test func `without a runtime directory the next key cache location is used`() throws {
        let store = try LockedStore(keysIn: LockedStore.cacheLocations[0])
        let child = try TestTool.start(
            over: store.store,
            environment: store.cacheLocation == .kernelKeyring ? [:] : store.environment
        )
        defer { child.end() }
        #expect(try child.ask("state") == "\(Self.usable), unlocked")
    }

    @Test func `a runtime directory on a disk is not used`() throws {
        let store = try LockedStore(keysIn: .runtimeDirectory)
        // The directory is next to the build products, because the temporary directory may be in memory.
        let disk = URL(filePath: TestTool.executable).deletingLastPathComponent()
            .appending(component: "keychain-\(UUID())")
        try FileManager.default.createDirectory(
            at: disk,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(at: disk) }
        let child = try TestTool.start(over: store.store, environment: ["XDG_RUNTIME_DIR": disk.path])
        defer { child.end() }
        #expect(try child.ask("refuse-keyrings \(EPERM)") == "0")
        #expect(try child.ask("state") == "this process only, locked since the start")
    }

    /// Commands that make a key file untrusted, and the error reason.
    static let untrusted: [(name: String, reason: Reason)] =
        [("chmod 644", .fileNotPrivate), ("chmod 660", .fileNotPrivate), ("ln", .fileIsLink)]
        + (geteuid() == 0 ? [("chown 65534", .fileNotOwned)] : [])

    @Test(arguments: untrusted)
    func `a key file accessible to other users is rejected`(name: String, reason: Reason) throws {
        let store = try LockedStore(keysIn: .runtimeDirectory)
        let child = try store.start()
        defer { child.end() }
        #expect(try child.ask("protected add ak canary-1") == "0")
        let folder = store.runtimeDirectory.appending(component: "keychain")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let path = folder.appending(component: file).path
            let words = name.split(separator: " ")
            switch words[0] {
            case "chmod": #expect(chmod(path, mode_t(words[1], radix: 8) ?? 0) == 0)
            case "chown": #expect(chown(path, uid_t(words[1]) ?? 0, 0) == 0)
            default:
                #expect(rename(path, path + ".moved") == 0)
                #expect(symlink(path + ".moved", path) == 0)
            }
        }
        let fresh = try store.start()
        defer { fresh.end() }
        #expect(try fresh.ask("protected data ak canary-1") == "-25308")
        #expect(throws: StatusError(.notAvailable, reason)) {
            try store.keychain.unlock(with: SecretBytes(LockedStore.passcode))
        }
    }

    /// In a session whose keyring is not linked to the user keyring, a process does not possess the user's
    /// keys, but it can still read them.
    @Test(arguments: LockedStore.cacheLocations)
    func `programs in different sessions share the keys`(cacheLocation: LockedStore.CacheLocation) throws {
        let store = try LockedStore(keysIn: cacheLocation)
        let (login, cron) = (try store.start(), try store.start())
        defer { for child in [login, cron] { child.end() } }
        if cacheLocation == .kernelKeyring { #expect(try cron.ask("new-session") == "0") }
        #expect(try login.ask("protected add ak canary-1") == "0")
        #expect(try cron.ask("protected data ak canary-1") == "0")
        for (one, other) in [(login, cron), (cron, login)] {
            #expect(try one.ask("lock") == "0")
            #expect(try other.ask("protected data ak canary-1") == "-25308")
            #expect(try one.ask("unlock \(LockedStore.passcode)") == "0")
            #expect(try other.ask("protected data ak canary-1") == "0")
        }
    }

    @Test(arguments: LockedStore.cacheLocations)
    func `a user's two stores do not unlock each other`(cacheLocation: LockedStore.CacheLocation) throws {
        let (one, other) = (try LockedStore(keysIn: cacheLocation), try LockedStore(keysIn: cacheLocation))
        let children = try [one, other].map { try $0.start() }
        defer { for child in children { child.end() } }
        for child in children { #expect(try child.ask("protected add ak canary-1") == "0") }
        try one.keychain.lock()
        #expect(try children[0].ask("protected data ak canary-1") == "-25308")
        #expect(try children[1].ask("protected data ak canary-1") == "0")
        other.restart()
        try one.keychain.unlock(with: SecretBytes(LockedStore.passcode))
        #expect(try children[0].ask("protected data ak canary-1") == "0")
        let fresh = try other.start()
        defer { fresh.end() }
        #expect(try fresh.ask("protected data ak canary-1") == "-25308")
    }

    /// Cached keys expire by themselves; no process has to run a timer.
    @Test(arguments: LockedStore.cacheLocations)
    func `automatic locking locks every process and keeps afterFirstUnlock classes open`(
        cacheLocation: LockedStore.CacheLocation
    ) throws {
        let store = try LockedStore(keysIn: cacheLocation)
        let children = try (0..<2).map { _ in try store.start() }
        defer { for child in children { child.end() } }
        for name in ["ak", "ck"] {
            #expect(try children[0].ask("protected add \(name) canary-\(name)") == "0")
        }
        try store.keychain.set(LockSettings(interval: 1))
        for child in children {
            for _ in 0..<1_200 where try child.ask("protected data ak canary-ak") == "0" { usleep(50_000) }
            #expect(try child.ask("protected data ak canary-ak") == "-25308")
            #expect(try child.ask("protected data ck canary-ck") == "0")
        }
        let fresh = try store.start()
        defer { fresh.end() }
        #expect(try fresh.ask("protected data ak canary-ak") == "-25308")
        #expect(try fresh.ask("state").hasSuffix(", locked"))
        if cacheLocation == .runtimeDirectory {
            let folder = store.runtimeDirectory.appending(component: "keychain")
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(left.allSatisfy { $0.contains(":C") }, "expired keys are removed")
        }
    }
}
