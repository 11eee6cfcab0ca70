// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// Deleting a store that other processes have open.
@Suite struct DeletedStoreTests {
    @Test func `every process uses the new store after a deletion`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let (one, other) = (try TestTool.start(over: store), try TestTool.start(over: store))
            defer { for child in [one, other] { child.end() } }
            #expect(try one.ask("delete-store") == "-25294")
            #expect(try one.ask("add canary-old canary") == "0")
            #expect(try other.ask("copy canary-old") == "0 canary")
            #expect(try one.ask("delete-store") == "0")
            #expect(try FileManager.default.contentsOfDirectory(atPath: store.path) == [])
            #expect(try one.ask("copy canary-old") == "-25300 ")
            // A write checks at once whether the store's files were replaced; reads check at intervals.
            #expect(try other.ask("add canary-old canary-new") == "0")
            #expect(try one.ask("copy canary-old") == "0 canary-new")
            #expect(try other.ask("count") == "1")
        }
    }

    @Test(arguments: LockedStore.cacheLocations)
    func `deleting a store removes its keys from key caches`(cacheLocation: LockedStore.CacheLocation) throws
    {
        let store = try LockedStore(keysIn: cacheLocation)
        let (one, other) = (try store.start(), try store.start())
        defer { for child in [one, other] { child.end() } }
        #expect(try one.ask("protected add ak canary-a") == "0")
        #expect(try other.ask("protected data ak canary-a") == "0")
        let backup = store.store.deletingLastPathComponent().appending(component: "backup")
        try FileManager.default.copyItem(at: store.store, to: backup)
        #expect(try one.ask("delete-store") == "0")
        #expect(try other.ask("state") == "-25294", "there is no keychain")
        #expect(try other.ask("count") == "0")
        // After restoring the deleted store from a copy, its keys are no longer cached: it is locked.
        try FileManager.default.removeItem(at: store.store)
        try FileManager.default.moveItem(at: backup, to: store.store)
        let next = try store.start()
        defer { next.end() }
        #expect(try next.ask("protected data ak canary-a") == "-25308")
        #expect(try next.ask("unlock \(LockedStore.passcode)") == "0")
        #expect(try next.ask("protected data ak canary-a") == "0")
    }

    @Test func `a store with an unknown passcode can be deleted`() throws {
        let store = try LockedStore(keysIn: .runtimeDirectory)
        let child = try store.start()
        defer { child.end() }
        #expect(try child.ask("protected add ak canary-a") == "0")
        #expect(try child.ask("lock") == "0")
        #expect(try child.ask("protected data ak canary-a") == "-25308")
        #expect(try child.ask("delete-store") == "0")
        #expect(try child.ask("protected data ak canary-a") == "-25300")
        #expect(try child.ask("protected add ak canary-a") == "0")
        #expect(try child.ask("protected data ak canary-a") == "0")
    }
}
