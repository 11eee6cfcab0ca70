// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite struct VerifyTests {
    @Test(arguments: [true, false])
    func `every row of an intact store is opened`(log: Bool) throws {
        let store = try SampleStore(log: log)
        let before = try store.contents()
        let result = try store.open().verified()
        #expect(result.isIntact)
        #expect(result.intact == SampleStore.samples.count + 1)
        #expect(result.tombstones == 1)
        #expect(result.locked == 0 && result.constrained == 0)
        #expect(try store.contents() == before)
    }

    @Test(arguments: TamperingTests.columns)
    func `an edited column is reported with its class and row`(assignment: String) throws {
        let store = try SampleStore()
        defer { withExtendedLifetime(store) {} }
        try store.sql("UPDATE item SET \(assignment) WHERE id = 6")
        let result = try store.open().verified()
        #expect(result.damages.map(\.row) == [6])
        #expect(result.intact == SampleStore.samples.count)
        if let itemClass = result.damages.first?.itemClass { #expect(itemClass == .genericPassword) }
        if let group = result.damages.first?.group { #expect(["TEAM.app", "TEAM.shared"].contains(group)) }
    }

    @Test(arguments: [
        ("DELETE FROM item WHERE id = 7", StoreVerification.Problem.rows),
        ("DELETE FROM item_index", .index),
        ("DELETE FROM item_index WHERE item = 7", .index),
    ])
    func `a missing row or index entry is reported`(
        statement: String,
        problem: StoreVerification.Problem
    ) throws {
        let store = try SampleStore()
        defer { withExtendedLifetime(store) {} }
        try store.sql(statement)
        let result = try store.open().verified()
        #expect(!result.isIntact)
        #expect(result.problems.contains(problem))
    }

    @Test func `an item that requires a higher level of the caller is counted and not reported as damaged`()
        throws
    {
        let store = try SampleStore()
        defer { withExtendedLifetime(store) {} }
        try store.addItem(demanding: .group)
        let result = try store.open().verified()
        #expect(result.isIntact)
        #expect(result.constrained == 1 && result.intact == SampleStore.samples.count + 1)
    }

    @Test func `locked rows are counted and not reported as damaged`() throws {
        let store = try LockedStore(keysIn: LockedStore.cacheLocations[0])
        defer { withExtendedLifetime(store) {} }
        try store.addItems(["ak", "ck", "dk"], for: SampleStore.caller)
        try store.keychain.lock()
        let result = try store.keychain.verified()
        #expect(result.isIntact)
        #expect(result.locked == 1 && result.intact == 2)
    }

    @Test func `a check can be canceled`() throws {
        let store = try SampleStore()
        defer { withExtendedLifetime(store) {} }
        let keychain = try store.open()
        #expect(throws: StatusError(.userCanceled, .changesCanceled)) {
            try keychain.verifyRows { _, _ in false }
        }
        #expect(try keychain.verified().isIntact)
    }
}
