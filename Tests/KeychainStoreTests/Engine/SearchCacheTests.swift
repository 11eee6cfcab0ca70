// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainStore

/// A cached search result never includes items that were changed, deleted or locked since.
@Suite(.searchedKeychain) struct SearchCacheTests {
    let calls: Calls

    init() throws {
        calls = try Calls()
        for name in ["a", "b", "c"] {
            try calls.add(
                [.account: .string("canary \(name)"), .service: "canary s", .label: "canary label"],
                SecretBuffer("canary secret \(name)".utf8)
            )
        }
    }

    struct Search: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let filter: ItemFilter
        var limit = MatchLimit.all
        var returning: ReturnKeys = .everything
    }

    private static let named: Attributes = [.account: "canary a", .service: "canary s"]

    static let searches = [
        Search(
            testDescription: "a value by identity",
            filter: .generic(named),
            limit: .one,
            returning: .data
        ),
        Search(testDescription: "an item by identity", filter: .generic(named), limit: .one),
        Search(testDescription: "items by an attribute", filter: .generic([.account: "canary a"])),
        Search(testDescription: "attributes of all", filter: .generic(), returning: .attributes),
        Search(testDescription: "all", filter: .generic([:], .any)),
    ]

    private func values(_ search: Search, _ calls: Calls? = nil) throws(StatusError) -> [String] {
        let found = try (calls ?? self.calls).find(
            search.filter,
            limit: search.limit,
            returning: search.returning
        )
        return found.map { item in
            let secret = item.secret.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "no secret"
            guard case .string(let label)? = item.attributes[.label] else { return secret }
            return "\(secret), \(label)"
        }
    }

    private func prime(_ search: Search) throws {
        let first = try values(search)
        for _ in 0..<3 { #expect(try values(search) == first) }
        #expect(try isCached(search))
    }

    private func isCached(_ search: Search) throws -> Bool {
        let request = CopyRequest(filter: search.filter, limit: search.limit, returning: search.returning)
        let (groups, hash) = (calls.caller.accessGroups, SearchCache.hash(of: request))
        return try calls.keychain.read { session throws(StatusError) in
            guard let header = session.rows.logHeader else { return false }
            return session.cache.result(of: request, in: groups, hash: hash, at: header) != nil
        }
    }

    @Test func `searches that differ in reference, class or attributes have different hash values`() throws {
        let filters =
            try calls.find(.generic(), limit: .all).map { item in
                ItemFilter(itemClass: .genericPassword, reference: item.reference)
            } + [.generic(), .generic([.account: "canary a"]), ItemFilter(itemClass: .internetPassword)]
        let hashes = filters.map { SearchCache.hash(of: CopyRequest(filter: $0, returning: .data)) }
        #expect(filters.count == 6 && Set(hashes).count == 6)
    }

    @Test(arguments: searches)
    func `a repeated search uses the cache`(search: Search) throws {
        let first = try values(search)
        #expect(try !isCached(search))
        #expect(try values(search) == first)
        #expect(try isCached(search))
        #expect(try values(search) == first)
    }

    enum Change: CaseIterable {
        case newValue, newLabel, deletion, otherItem
    }

    @Test(arguments: searches, Change.allCases)
    func `a change by another connection is detected`(search: Search, change: Change) throws {
        try prime(search)
        let other = try calls.reopened()
        switch change {
        case .newValue: try other.update(.generic(Self.named), secret: SecretBuffer("canary new".utf8))
        case .newLabel: try other.update(.generic(Self.named), [.label: "canary new"])
        case .deletion: try other.delete(.generic([.service: "canary s"]))
        case .otherItem: try other.add([.account: "canary a", .service: "canary t"])
        }
        // Returns the result of the other connection, which has cached nothing.
        func expected() throws -> [String] {
            do throws(StatusError) { return try values(search, other) } catch {
                #expect(error.status == .itemNotFound)
                return []
            }
        }
        let wanted = try expected()
        if wanted.isEmpty {
            expect(.itemNotFound) { _ = try values(search) }
        } else {
            #expect(try values(search) == wanted)
        }
        #expect(wanted.isEmpty == (change == .deletion))
    }

    @Test(arguments: searches)
    func `a change by this process is detected`(search: Search) throws {
        try prime(search)
        try calls.update(
            .generic(Self.named),
            [.label: "canary new"],
            secret: SecretBuffer("canary new".utf8)
        )
        let all = try values(search)
        #expect(all.contains { $0.contains("canary new") })
        #expect(all == (try values(search, calls.reopened())))
    }

    enum Lock: CaseIterable {
        case ownLock, otherLock, time
    }

    @Test(arguments: searches, Lock.allCases)
    func `a locked item is not returned from the cache`(search: Search, lock: Lock) throws {
        let now = Mutex<UInt64>(1_000_000)
        var clock = LockClock.system
        clock.sinceStart = { now.withLock { $0 } }
        clock.awake = clock.sinceStart
        let location = try StoreLocation(directory: #require(SearchedKeychain.directory).path)
        var timed = self.calls
        timed.keychain = try EmbeddedKeychain(at: location, lockClock: clock)
        try timed.keychain.setPasscode(SecretBytes("canary code"), cost: LockedStore.cost)
        try timed.keychain.set(LockSettings(interval: 60))
        let first = try values(search, timed)
        for _ in 0..<3 { #expect(try values(search, timed) == first) }
        switch lock {
        case .ownLock: try timed.keychain.lock()
        case .otherLock: try timed.reopened().keychain.lock()
        case .time: now.withLock { $0 += 61_000 }
        }
        expect(.interactionNotAllowed) { _ = try values(search, timed) }
    }

    @Test func `an item with an access control is never cached`() throws {
        let credential = Credential(
            applicationPassword: ApplicationPassword(SecretBytes("canary password"))
        )
        let control = AccessControl(protection: .whenUnlocked, flags: 1 << 31)
        let item = NewItem(
            itemClass: .genericPassword,
            attributes: [.account: "canary constrained", .service: "canary c"],
            secret: SecretBuffer("canary secret".utf8),
            accessControl: control
        )
        _ = try calls.keychain.perform(.add(item), for: calls.caller, with: credential)
        let filter = ItemFilter.generic([.account: "canary constrained", .service: "canary c"])
        for returning in [ReturnKeys.data, .attributes, .everything] {
            let copy = Request.copy(CopyRequest(filter: filter, returning: returning))
            for _ in 0..<3 { _ = try calls.keychain.perform(copy, for: calls.caller, with: credential) }
            #expect(throws: control.authenticationNeeded) {
                try calls.keychain.perform(copy, for: calls.caller)
            }
        }
    }

    @Test func `results are cached separately for each caller's groups`() throws {
        let search = Self.searches[0]
        try prime(search)
        expect(.itemNotFound) { _ = try values(search, calls.with(groups: ["TEAM.other"])) }
    }

    @Test func `a change made directly with SQL is detected`() throws {
        let store = try SampleStore()
        let keychain = try store.open()
        let sample = SampleStore.samples[5]
        for _ in 0..<3 { #expect(try keychain.find(sample.filter).count == 1) }
        try store.sql("DELETE FROM item WHERE id = 6")
        #expect(throws: StatusError(.undecodable, .multisetHashMismatch)) { try keychain.find(sample.filter) }
    }
}

/// Reading the header of the WAL index (`-shm`) in shared memory.
@Suite struct LogHeaderTests {
    private static let initialized: UInt64 = 1 << 32

    private func header(_ first: [UInt64], _ second: [UInt64]) -> LogHeader? {
        (first + second).withUnsafeBytes { bytes in bytes.baseAddress.flatMap { LogHeader(at: $0) } }
    }

    @Test func `a header is valid if its two copies are equal`() {
        let words: [UInt64] = [1, 2 | Self.initialized, 3, 4, 5, 6]
        #expect(header(words, words) != nil)
        #expect(header(words, words) == header(words, words))
    }

    @Test(arguments: 0..<6)
    func `a partially written header is invalid`(word: Int) {
        let words: [UInt64] = [1, 2 | Self.initialized, 3, 4, 5, 6]
        var changed = words
        changed[word] += 1 << 40
        #expect(header(words, changed) == nil)
        #expect(header(changed, changed) != header(words, words))
    }

    @Test func `a header that was never written is invalid`() {
        let words = [UInt64](repeating: 0, count: 6)
        #expect(header(words, words) == nil)
    }

    @Test func `a counter that wraps around changes the header`() {
        let last: [UInt64] = [1, UInt64(UInt32.max) | Self.initialized, 3, 4, 5, 6]
        let wrapped: [UInt64] = [1, Self.initialized, 3, 4, 5, 6]
        #expect(header(wrapped, wrapped) != nil)
        #expect(header(wrapped, wrapped) != header(last, last))
    }
}
