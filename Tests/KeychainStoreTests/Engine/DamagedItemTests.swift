// SPDX-License-Identifier: Apache-2.0

import CKeychainSQLite
import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct DamagedItemTests {
    /// Returns calls to a store of ten items, one of which was damaged with SQL.
    private func damaged(_ change: String = "attributes = zeroblob(length(attributes))") throws -> Calls {
        let calls = try Calls()
        for number in 0..<10 { try calls.add([.account: .string("canary \(number)"), .service: "canary s"]) }
        try execute("UPDATE item SET \(change) WHERE id = 4")
        return calls
    }

    private func execute(_ statement: String) throws {
        let path = try #require(SearchedKeychain.directory).appending(component: "keychain.db").path
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        #expect(sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        #expect(sqlite3_exec(connection, statement, nil, nil, nil) == SQLITE_OK)
    }

    private static let identity: Attributes = [.account: "canary 3", .service: "canary s"]
    /// The whole primary key of an undamaged item.
    ///
    /// Without the access group, the lookup would have to prove that other groups have no such item. The proof
    /// might need the multiset hash of rows that include the damaged one.
    private static let sound: Attributes = [
        .account: "canary 4", .service: "canary s", .accessGroup: "TEAM.app",
    ]

    @Test func `a damaged item is reported by a lookup and by a list`() throws {
        let calls = try damaged()
        expect(.undecodable) { _ = try calls.find(.generic(Self.identity)) }
        expect(.undecodable) { _ = try calls.find(.generic()) }
        expect(.undecodable) { try calls.update(.generic(Self.identity), [.label: "canary"]) }
        expect(.duplicateItem) { try calls.add(Self.identity) }
        #expect(try calls.accounts(.generic(Self.sound)) == ["canary 4"])
    }

    @Test func `a damaged item still counts for uniqueness`() throws {
        let calls = try damaged()
        expect(.duplicateItem) { try calls.add(Self.identity) }
        expect(.duplicateItem) { try calls.update(.generic(Self.sound), Self.identity) }
        #expect(try calls.accounts(.generic(Self.sound)) == ["canary 4"])
        #expect(try calls.status().itemCount == 10)
    }

    @Test(arguments: [identity, [.account: "canary 3"]])
    func `a damaged item can be deleted, and the store is consistent again`(filter: Attributes) throws {
        let calls = try damaged()
        try calls.delete(.generic(filter))
        for calls in [calls, try calls.reopened()] {
            #expect(try calls.accounts(.generic()).count == 9)
            #expect(try calls.accounts(.generic(Self.identity)).isEmpty)
            #expect(try calls.status().itemCount == 9)
        }
        try calls.add(Self.identity)
        #expect(try calls.reopened().accounts(.generic()).count == 10)
    }

    @Test(arguments: [
        "attributes = x''", "digests = x''", "digests = x'00'", "version = version + 1",
        "tag = zeroblob(8)",
    ])
    func `an item can be deleted whichever part is damaged`(change: String) throws {
        let calls = try damaged(change)
        try calls.delete(.generic(Self.identity))
        #expect(try calls.reopened().accounts(.generic()).count == 9)
    }

    @Test func `a damaged item is deleted regardless of buckets in other groups`() throws {
        let calls = try damaged()
        // Each of the 128 buckets of rows has a multiset hash. With 5,000 groups, at least one lookup almost certainly
        // needs the bucket of the damaged item.
        let groups = (0..<5_000).map { "TEAM.\($0)" }
        try calls.with(groups: ["TEAM.app"] + groups).delete(.generic(Self.identity))
        #expect(try calls.reopened().accounts(.generic()).count == 9)
    }

    @Test func `all items including damaged ones can be deleted`() throws {
        let calls = try damaged()
        try execute("UPDATE item SET attributes = x'' WHERE id > 6")
        try calls.delete(.generic())
        expect(.itemNotFound) { _ = try calls.reopened().find(.generic()) }
        #expect(try calls.status().itemCount == 0)
    }

    @Test func `a filter that requires decryption does not delete a damaged item`() throws {
        let calls = try damaged()
        expect(.undecodable) { try calls.delete(.generic(Self.identity.with([.comment: "canary"]))) }
        expect(.undecodable) { try calls.delete(.generic([.creator: 1])) }
        #expect(try calls.status().itemCount == 10)
    }

    @Test func `deleting a damaged item does not hide a missing one`() throws {
        let calls = try damaged()
        try execute("DELETE FROM item WHERE id = 7")
        expect(.undecodable) { try calls.delete(.generic(Self.identity)) }
        expect(.undecodable) { _ = try calls.find(.generic()) }
    }
}
