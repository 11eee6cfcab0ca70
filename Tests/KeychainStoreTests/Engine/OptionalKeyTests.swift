// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainStore

/// Items whose primary key has an optional attribute, the view hint: a query without a hint must find them, too.
@Suite(.searchedKeychain) struct OptionalKeyTests {
    private static let required: Attributes = [.service: "canary service", .account: "canary account"]
    private static let hinted = required.with([.syncViewHint: "canary hint", .label: "canary hinted"])

    private func labels(_ calls: Calls) throws -> [String] {
        try calls.find(.generic(Self.required)).map { $0.attributes[.label]?.text ?? "none" }.sorted()
    }

    private func hasOptionalKeys(_ calls: Calls) throws -> Bool {
        try calls.keychain.write { session throws(StatusError) in
            try session.change { () throws(StatusError) in session.state.header.hasOptionalKeys }
        }
    }

    @Test func `a query without a view hint finds the items with and without one`() throws {
        let calls = try Calls()
        try calls.add(Self.required)
        #expect(try labels(calls) == ["none"])
        #expect(try !hasOptionalKeys(calls))
        // Another connection, which has read the store before, finds the new item too.
        let other = try calls.reopened()
        #expect(try labels(other) == ["none"])
        try calls.add(Self.hinted)
        for calls in [calls, other, try calls.reopened()] {
            #expect(try labels(calls) == ["canary hinted", "none"])
        }
    }

    @Test func `an item that gets a view hint by an update is found`() throws {
        let calls = try Calls()
        try calls.add(Self.required.with([.label: "canary updated"]))
        try calls.update(.generic(Self.required), [.syncViewHint: "canary hint"])
        #expect(try labels(calls) == ["canary updated"])
        try calls.update(.generic(Self.required), [.label: "canary again"])
        #expect(try labels(calls) == ["canary again"])
        try calls.delete(.generic(Self.required))
        #expect(try calls.accounts(.generic(Self.required)) == [])
    }

    @Test func `a failed change does not change what queries search for`() throws {
        let calls = try Calls()
        try calls.add(Self.required)
        let hinted = NewItem(itemClass: .genericPassword, attributes: Self.hinted, secret: nil)
        let same = NewItem(itemClass: .genericPassword, attributes: Self.required, secret: nil)
        #expect(throws: StatusError.self) {
            try calls.keychain.perform(together: [.add(hinted), .add(same)], for: calls.caller) { _ in true }
        }
        #expect(try !hasOptionalKeys(calls))
        #expect(try labels(calls) == ["none"])
    }

    @Test func `an item with a view hint is found after it was restored from a backup`() throws {
        let target = try SampleStore(filling: [])
        let calls = try Calls()
        try calls.add(Self.hinted)
        let backup = try Backup(of: calls.keychain)
        var restored = calls
        restored.keychain = try target.open()
        #expect(try restored.accounts(.generic(Self.required)) == [])
        try backup.restore(into: restored.keychain)
        #expect(try labels(restored) == ["canary hinted"])
        #expect(try restored.keychain.verified().isIntact)
    }

    @Test(arguments: [
        "UPDATE page SET content = zeroblob(100) WHERE id = 0",
        "UPDATE item SET secret = NULL WHERE id = 7",
    ])
    func `an item with a view hint is found after a repair`(damage: String) throws {
        let store = try SampleStore()
        var calls = try Calls()
        calls.caller = SampleStore.caller
        let unused = calls.keychain
        calls.keychain = try store.open()
        try calls.add(Self.hinted)
        // Closes the store before it is repaired.
        calls.keychain = unused
        try store.sql(damage)
        let location = store.location(creating: false)
        let summary = try EmbeddedKeychain.repair(at: location, dryRun: false, named: "test") { _, _ in true }
        defer { if let copy = summary.copy { try? FileManager.default.removeItem(atPath: copy) } }
        #expect(!summary.verification.isIntact)
        calls.keychain = try store.open(creating: false)
        #expect(try labels(calls) == ["canary hinted"])
    }
}
