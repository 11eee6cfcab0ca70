// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainStore

@Suite struct RotationTests {
    @Test(arguments: [true, false])
    func `a rotation encrypts every row anew and keeps its contents and version`(log: Bool) throws {
        let store = try SampleStore(log: log)
        defer { withExtendedLifetime(store) {} }
        let keychain = try store.open()
        for parity in [64, 0, 64] {
            let (before, versions) = (try StoreDump(keychain), try keychain.versions(in: nil))
            let rows = try store.boxes()
            let summary = try keychain.rotateKeys()
            #expect(summary.isComplete && summary.damaged == 0)
            #expect(summary.rotated == SampleStore.samples.count + 1)
            #expect(try !keychain.isRotatingKeys())
            #expect(try StoreDump(keychain).items == before.items)
            #expect(try keychain.versions(in: nil) == versions)
            #expect(try store.boxes().isDisjoint(with: rows))
            #expect(try store.sql("SELECT 1 FROM item WHERE flags & 64 != \(parity)").isEmpty)
            #expect(try keychain.verified().isIntact)
        }
        #expect(try StoreDump(store.open()).items == StoreDump(keychain).items)
    }

    @Test func `the former wrapped keys and rows are in no file after a rotation`() throws {
        let store = try SampleStore(log: true)
        defer { withExtendedLifetime(store) {} }
        let keychain = try store.open()
        let former = try store.boxes().union(store.wrappedKeys())
        _ = try keychain.rotateKeys()
        for (name, content) in try store.contents() {
            #expect(!former.contains { content.range(of: $0) != nil }, "\(name)")
        }
    }

    @Test func `a canceled rotation resumes, and other connections read and write meanwhile`() throws {
        let store = try SampleStore.withManyItems()
        defer { withExtendedLifetime(store) {} }
        let (keychain, other) = (try store.open(), try store.open())
        try keychain.beginKeyRotation()
        for canceledAt in [0, 256] {
            #expect(throws: StatusError(.userCanceled, .changesCanceled)) {
                try keychain.resumeKeyRotation { done, _ in done < canceledAt }
            }
            #expect(try other.isRotatingKeys())
            #expect(try other.list(.genericPassword).count == SampleStore.manyItems.count)
            #expect(try keychain.list(.genericPassword).count == SampleStore.manyItems.count)
        }
        #expect(try store.sql("SELECT 1 FROM item WHERE flags & 64 = 0").count == 301 - 256)
        try other.change(SampleStore.manyItems[7].filter, to: "rotated already")
        try other.change(SampleStore.manyItems[299].filter, to: "not rotated yet")
        #expect(try other.verified().isIntact)
        let resumed = try store.open()
        let summary = try resumed.resumeKeyRotation { _, _ in true }
        #expect(summary.isComplete && summary.rotated == 301 - 256 - 1)
        #expect(
            try other.find(SampleStore.manyItems[7].filter)[0].secret == SecretBuffer("rotated already".utf8)
        )
        #expect(
            try keychain.find(SampleStore.manyItems[299].filter)[0].secret
                == SecretBuffer("not rotated yet".utf8)
        )
        #expect(try keychain.verified().isIntact)
        #expect(try StoreDump(other).items == StoreDump(keychain).items)
    }

    @Test func `a cached result is not used under a former key`() throws {
        let store = try SampleStore()
        defer { withExtendedLifetime(store) {} }
        let (keychain, other) = (try store.open(), try store.open())
        let sample = SampleStore.samples[5]
        for _ in 0..<3 {
            for _ in 0..<3 {
                #expect(try other.find(sample.filter, returning: .data)[0].secret == sample.secret)
            }
            _ = try keychain.rotateKeys()
        }
        #expect(try other.find(sample.filter, returning: .data)[0].secret == sample.secret)
    }

    @Test func `a second rotation starts only when the first has ended`() throws {
        let store = try SampleStore()
        defer { withExtendedLifetime(store) {} }
        let keychain = try store.open()
        try keychain.beginKeyRotation()
        let page = try store.keybag()
        try store.open().beginKeyRotation()
        #expect(try store.keybag() == page)
        #expect(try keychain.resumeKeyRotation { _, _ in true }.isComplete)
        #expect(try keychain.resumeKeyRotation { _, _ in true }.rotated == 0)
        #expect(try store.keybag().count == page.count - 6 * 74)
    }

    @Test func `a rotation changes no damaged row, and then keeps the former keys`() throws {
        let store = try SampleStore()
        defer { withExtendedLifetime(store) {} }
        let keychain = try store.open()
        try store.sql("UPDATE item SET attributes = zeroblob(200) WHERE id = 6")
        let summary = try keychain.rotateKeys()
        #expect(!summary.isComplete && summary.damaged == 1)
        #expect(summary.rotated == SampleStore.samples.count)
        #expect(try keychain.isRotatingKeys())
        #expect(try !keychain.canContinueKeyRotation())
        #expect(try keychain.verified().damages.map(\.row) == [6])
        try store.sql("DELETE FROM item WHERE id = 6")
        #expect(try keychain.canContinueKeyRotation())
        #expect(try keychain.resumeKeyRotation { _, _ in true }.isComplete)
    }

    @Test func `a row with the wrong key parity is damaged, not locked`() throws {
        let store = try SampleStore()
        defer { withExtendedLifetime(store) {} }
        try store.sql("UPDATE item SET flags = flags | 64 WHERE id = 6")
        let keychain = try store.open()
        #expect(throws: StatusError(.undecodable, .recordDamaged)) {
            try keychain.find(SampleStore.samples[5].filter, returning: .data)
        }
        let result = try keychain.verified()
        #expect(result.damages.map(\.row) == [6] && result.locked == 0)
    }

    @Test func `a backup and a repair of a store in rotation contain every item`() throws {
        let store = try SampleStore.withManyItems()
        defer { withExtendedLifetime(store) {} }
        let keychain = try store.open()
        try keychain.beginKeyRotation()
        _ = try? keychain.resumeKeyRotation { done, _ in done == 0 }
        let backup = try Backup(of: keychain)
        #expect(backup.summary.items == 300)
        try store.sql("DELETE FROM item_index WHERE item = 7")
        let summary = try EmbeddedKeychain.repair(at: store.location(), dryRun: false, named: "x") { _, _ in
            true
        }
        defer { if let copy = summary.copy { try? FileManager.default.removeItem(atPath: copy) } }
        #expect(summary.salvaged == 301)
        let repaired = try store.open()
        #expect(try repaired.resumeKeyRotation { _, _ in true }.isComplete)
        #expect(try repaired.list(.genericPassword).count == 300)
    }

    @Test func `pages of synchronization are readable before, during and after a rotation`() throws {
        let store = try SampleStore()
        defer { withExtendedLifetime(store) {} }
        let keychain = try store.open()
        let content: [UInt8] = [1, 2, 3]
        try keychain.synchronize { session throws(StatusError) in
            try session.write(content, asPage: 0)
            try session.write(content, asPage: 1, sealedLike: .afterFirstUnlock)
            try session.write(content, asPage: 2, sealedLike: .whenUnlocked)
        }
        func check() throws {
            try store.open().readSynchronization { session throws(StatusError) in
                #expect(try session.page(0) == content)
                #expect(try session.page(1, sealedLike: .afterFirstUnlock) == content)
                #expect(try session.page(2, sealedLike: .whenUnlocked) == content)
            }
        }
        try check()
        try keychain.beginKeyRotation()
        try check()
        try keychain.synchronize { session throws(StatusError) in
            try session.write(content, asPage: 2, sealedLike: .whenUnlocked)
        }
        try check()
        #expect(try keychain.resumeKeyRotation { _, _ in true }.isComplete)
        try check()
    }

    @Test func `threads add, change and read items during rotations`() async throws {
        let store = try SampleStore.withManyItems()
        defer { withExtendedLifetime(store) {} }
        let location = store.location()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let keychain = try EmbeddedKeychain(at: location)
                for _ in 0..<4 { #expect(try keychain.rotateKeys().isComplete) }
            }
            for thread in 0..<2 {
                group.addTask {
                    let keychain = try EmbeddedKeychain(at: location)
                    for round in 0..<40 {
                        let sample = SampleStore.manyItems[(round * 2 + thread) * 3]
                        try keychain.change(sample.filter, to: "round \(round)")
                        #expect(
                            try keychain.find(sample.filter)[0].secret == SecretBuffer("round \(round)".utf8)
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        let keychain = try store.open()
        #expect(try keychain.list(.genericPassword).count == 300)
        #expect(try keychain.verified().isIntact)
    }
}

@Suite struct PasscodeRotationTests {
    private static let names = ["ak", "aku", "ck", "cku", "dk", "dku", "akpu"]
    private let store: LockedStore

    init() throws {
        store = try LockedStore(keysIn: LockedStore.cacheLocations[0])
        try store.addItems(Self.names, for: SampleStore.caller)
    }

    private func count() throws -> Int { try store.keychain.list(.genericPassword).count }

    private func resume() throws -> RotationSummary { try store.keychain.resumeKeyRotation { _, _ in true } }

    @Test func `a rotation requires the passcode`() throws {
        expect(.authenticationFailed) { try store.keychain.beginKeyRotation() }
        expect(.authenticationFailed) { try store.keychain.beginKeyRotation(with: SecretBytes("wrong")) }
        #expect(try !store.keychain.isRotatingKeys())
        try store.keychain.lock()
        try store.keychain.beginKeyRotation(with: SecretBytes(LockedStore.passcode))
        #expect(try resume().rotated == Self.names.count)
        #expect(try count() == Self.names.count)
        try store.keychain.lock()
        #expect(throws: StatusError(.interactionNotAllowed, .classKeyAbsent)) { try count() }
        try store.keychain.unlock(with: SecretBytes(LockedStore.passcode))
        #expect(try count() == Self.names.count)
    }

    @Test func `a rotation that a lock interrupts resumes after an unlock`() throws {
        try store.keychain.beginKeyRotation(with: SecretBytes(LockedStore.passcode))
        #expect(try store.keychain.canContinueKeyRotation())
        try store.keychain.lock()
        #expect(throws: StatusError(.interactionNotAllowed, .classKeyAbsent)) { try resume() }
        try store.keychain.beginKeyRotation(with: SecretBytes(LockedStore.passcode))
        #expect(try resume().isComplete)
        #expect(try !store.keychain.canContinueKeyRotation())
        #expect(try count() == Self.names.count)
    }

    @Test func `the key cache has no former key after a rotation`() throws {
        try store.keychain.beginKeyRotation(with: SecretBytes(LockedStore.passcode))
        #expect(try cachedKeys().count == 2 * 5)
        #expect(try resume().isComplete)
        #expect(try cachedKeys().map(\.parity) == Array(repeating: .odd, count: 5))
        let other = try EmbeddedKeychain(at: store.keychain.location)
        #expect(try other.list(.genericPassword).count == Self.names.count)
    }

    private func cachedKeys() throws -> [ClassKeyID] {
        try store.keychain.read { session throws(StatusError) in
            try session.reload()
            return session.state.keys.source?.cachedKeys(with: session.store.keys)?.keys.map(\.key) ?? []
        }
    }

    @Test func `an old class key with an old passcode opens no row after a rotation and a new passcode`()
        throws
    {
        let old = try oldKeySession()
        try store.keychain.beginKeyRotation(with: SecretBytes(LockedStore.passcode))
        #expect(try resume().isComplete)
        try store.keychain.changePasscode(
            from: SecretBytes(LockedStore.passcode),
            to: SecretBytes("canary new"),
            cost: LockedStore.cost
        )
        try store.keychain.read { session throws(StatusError) in
            try session.rows.forEachRow(.all, secrets: true) { stored throws(StatusError) in
                var row = stored.row
                row.columns.keyParity = .even
                #expect(throws: StatusError(.undecodable, .recordDamaged)) {
                    try ItemSealer(keys: session.store.keys).open(row, with: old)
                }
                return true
            }
        }
        #expect(try count() == Self.names.count)
    }

    /// Returns the current class keys, as if an attacker had unwrapped and kept them.
    private func oldKeySession() throws -> KeySession {
        try store.keychain.read { session throws(StatusError) in
            try session.reload()
            let keybag = session.state.keys.keybag
            let opened = session.state.keys.source?.cachedKeys(with: session.store.keys)
            let entries = opened?.keys.map { id, key in
                Keybag.wrap(key, of: id, under: session.store.keys.classKeyWrapping, .device)
            }
            let always = keybag.entries.filter { $0.wrappedBy == .device }
            return KeySession(
                Keybag(passcode: .none, parity: .even, entries: always + (entries ?? []), keys: keybag.keys)
            )
        }
    }

    @Test func `setting, changing and removing the passcode during a rotation loses no item`() throws {
        let keychain = store.keychain
        try keychain.beginKeyRotation(with: SecretBytes(LockedStore.passcode))
        try keychain.changePasscode(
            from: SecretBytes(LockedStore.passcode),
            to: SecretBytes("canary two"),
            cost: LockedStore.cost
        )
        #expect(try count() == 7)
        #expect(try keychain.removePasscode(SecretBytes("canary two")) == 1)
        #expect(try count() == 6)
        try keychain.setPasscode(SecretBytes("canary three"), cost: LockedStore.cost)
        try store.addItems(["akpu"], for: SampleStore.caller)
        #expect(try resume().rotated == 6)
        try keychain.lock()
        try keychain.unlock(with: SecretBytes("canary three"))
        #expect(try count() == 7)
    }

    @Test func `items with an access control are rotated without the user, who still opens them`() throws {
        typealias Contents = ConstrainedGoldenContents
        let sample = try SampleStore()
        defer { withExtendedLifetime(sample) {} }
        let keychain = try sample.open()
        try keychain.setPasscode(SecretBytes("canary one"), cost: LockedStore.cost)
        let credential = try Contents.credential(of: keychain, "canary one")
        try Contents.add(to: keychain, with: credential)
        try sample.addItem(demanding: .group)
        for _ in 0..<2 {
            let before = try StoreDump(keychain, with: Contents.credential(of: keychain, "canary one"))
            try keychain.beginKeyRotation(with: SecretBytes("canary one"))
            let during = try StoreDump(keychain, with: Contents.credential(of: keychain, "canary one"))
            #expect(during.items == before.items)
            let summary = try keychain.resumeKeyRotation { _, _ in true }
            #expect(summary.isComplete && summary.damaged == 0)
            let after = try StoreDump(keychain, with: Contents.credential(of: keychain, "canary one"))
            #expect(after.items == before.items)
        }
        let (account, control) = Contents.controls[0]
        let filter = ItemFilter(
            itemClass: .genericPassword,
            attributes: Contents.item(account, control).attributes
        )
        #expect(throws: control.authenticationNeeded) { try keychain.find(filter) }
        try keychain.lock()
    }
}

extension EmbeddedKeychain {
    fileprivate func rotateKeys() throws -> RotationSummary {
        try beginKeyRotation()
        return try resumeKeyRotation { _, _ in true }
    }

    fileprivate func change(_ filter: ItemFilter, to secret: String) throws(StatusError) {
        let update = UpdateRequest(filter: filter, secret: SecretBuffer(secret.utf8))
        _ = try perform(.update(update), for: SampleStore.caller)
    }
}

extension SampleStore {
    /// More items than a batch of a rotation contains.
    fileprivate static let manyItems: [Sample] = (0..<300).map { number in
        var attributes = Attributes()
        attributes[.account] = .string("account \(number)")
        attributes[.accessGroup] = .string("TEAM.app")
        let filter = ItemFilter(itemClass: .genericPassword, attributes: attributes)
        return Sample(filter: filter, attributes: attributes, secret: SecretBuffer("secret \(number)".utf8))
    }

    private static let many = Result {
        try SampleStore(filling: manyItems).contents()
    }

    /// Returns a store with 300 items and a tombstone, in 301 rows.
    fileprivate static func withManyItems() throws -> SampleStore {
        try SampleStore(log: true, original: many.get())
    }

    /// The nonces of all encrypted attributes and values, which change whenever one is encrypted again.
    fileprivate func boxes() throws -> Set<Data> {
        let rows = try sql("SELECT substr(attributes, 2, 24), substr(secret, 2, 24) FROM item")
        return Set(rows.flatMap { $0.compactMap { $0 } })
    }

    fileprivate func keybag() throws -> Data {
        try #require(sql("SELECT content FROM page WHERE id = 1")[0][0])
    }

    fileprivate func wrappedKeys() throws -> Set<Data> {
        let page = try keybag()
        return Set(stride(from: 66, to: page.count, by: 74).map { page.subdata(in: $0..<$0 + 72) })
    }
}
