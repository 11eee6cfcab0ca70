// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// A store that is deleted while processes have it open.
@Suite struct DeletedStoreTests {
    @Test func `every process finds the new store, and none the old`() throws {
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
            // A write looks at once whether the store still is the one that was opened.
            #expect(try other.ask("add canary-old canary-new") == "0")
            #expect(try one.ask("copy canary-old") == "0 canary-new")
            #expect(try other.ask("count") == "1")
        }
    }

    @Test(arguments: LockedStore.places)
    func `no key is left in a key cache`(place: LockedStore.Place) throws {
        let store = try LockedStore(keysIn: place)
        let (one, other) = (try store.start(), try store.start())
        defer { for child in [one, other] { child.end() } }
        #expect(try one.ask("protected add ak canary-a") == "0")
        #expect(try other.ask("protected data ak canary-a") == "0")
        let backup = store.store.deletingLastPathComponent().appending(component: "backup")
        try FileManager.default.copyItem(at: store.store, to: backup)
        #expect(try one.ask("delete-store") == "0")
        #expect(try other.ask("state") == "-25294", "there is no keychain")
        #expect(try other.ask("count") == "0")
        // The store itself, were it still there, is locked for everyone.
        try FileManager.default.removeItem(at: store.store)
        try FileManager.default.moveItem(at: backup, to: store.store)
        let next = try store.start()
        defer { next.end() }
        #expect(try next.ask("protected data ak canary-a") == "-25308")
        #expect(try next.ask("unlock \(LockedStore.passcode)") == "0")
        #expect(try next.ask("protected data ak canary-a") == "0")
    }

    @Test func `a passcode that nobody knows is no obstacle`() throws {
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
