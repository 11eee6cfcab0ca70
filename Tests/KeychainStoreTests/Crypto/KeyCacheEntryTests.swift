// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainStore

@Suite struct KeyCacheEntryTests {
    private static let name = KeyCacheName(store: .random(), slot: .unlocked, parity: .odd)

    @Test func `names and entries are decoded as encoded`() throws {
        for slot in UnlockedKeys.Slot.allCases {
            for parity in EpochParity.allCases {
                let name = KeyCacheName(store: .random(), slot: slot, parity: parity)
                #expect(KeyCacheName(name.text) == name)
                #expect(KeyCacheName(name.text + "0") == nil)
                #expect(KeyCacheName(String(name.text.dropLast())) == nil)
            }
        }
        for text in ["", "lkc:", "lkc:00:A0", "canary"] { #expect(KeyCacheName(text) == nil) }
        let entry = KeyCacheEntry(directory: "/canary/ü", box: Array("canary".utf8))
        let read = try #require(KeyCacheEntry(entry.encoded))
        #expect(read.directory == entry.directory && read.box == entry.box)
        for count in 0..<12 { #expect(KeyCacheEntry(Array(entry.encoded.prefix(count))) == nil) }
    }

    @Test(arguments: LockedStore.cacheLocations)
    func `only keys of deleted stores are removed`(cacheLocation: LockedStore.CacheLocation) throws {
        let store = try LockedStore(keysIn: cacheLocation, withPasscode: false)
        let makeCache = { (identifier: Bytes16, directory: String) in
            KeyCache(locations: store.keyCacheLocations, store: identifier, directory: directory)
        }
        let removed = makeCache(.random(), "/nonexistent/canary")
        let replaced = makeCache(.random(), store.store.path)
        let present = makeCache(try store.status().store, store.store.path)
        defer { for cache in [removed, replaced, present] { cache.removeAll() } }
        for cache in [removed, replaced, present] {
            try cache.put(Array("canary".utf8), in: .unlocked, of: .even, seconds: nil)
        }
        present.removeKeysOfDeletedStores()
        let isKept = [removed, replaced, present].map { $0.find(.unlocked, of: .even) { $0 } != nil }
        #expect(isKept == [false, false, true])
    }

    @Test func `an inaccessible directory does not count as a deleted store`() throws {
        try TestTool.withDirectory { directory in
            let entry = KeyCacheEntry(directory: directory.path, box: Array("canary".utf8)).encoded
            #expect(KeyCacheEntry.isOfDeletedStore(Self.name.text, entry))
            #expect(chmod(directory.path, 0o755) == 0)
            #expect(!KeyCacheEntry.isOfDeletedStore(Self.name.text, entry))
            #expect(!KeyCacheEntry.isOfDeletedStore("canary", entry))
            #expect(!KeyCacheEntry.isOfDeletedStore(Self.name.text, Array("canary".utf8)))
        }
    }
}
