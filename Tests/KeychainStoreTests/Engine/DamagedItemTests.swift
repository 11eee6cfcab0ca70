// SPDX-License-Identifier: Apache-2.0

import CKeychainSQLite
import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct DamagedItemTests {
    /// A store of ten items, the one with an account damaged, some in its bucket or not.
    private func damaged(_ change: String = "attributes = zeroblob(length(attributes))") throws -> Calls {
        let calls = try Calls()
        for number in 0..<10 { try calls.add([.account: .text("canary \(number)"), .service: "canary s"]) }
        try execute("UPDATE item SET \(change) WHERE id = 4")
        return calls
    }

    /// Changes the database behind the engine's back.
    private func execute(_ statement: String) throws {
        let path = try #require(SearchedKeychain.directory).appending(component: "keychain.db").path
        var connection: OpaquePointer?
        defer { sqlite3_close_v2(connection) }
        #expect(sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        #expect(sqlite3_exec(connection, statement, nil, nil, nil) == SQLITE_OK)
    }

    private static let identity: Attributes = [.account: "canary 3", .service: "canary s"]
    /// Another item, by all of its names: that there is none in another group could be a lie, in the damaged bucket.
    private static let sound: Attributes = [
        .account: "canary 4", .service: "canary s", .accessGroup: "TEAM.app",
    ]

    @Test func `a damaged item is reported to who names it and to who lists`() throws {
        let calls = try damaged()
        expect(.undecodable) { _ = try calls.find(.generic(Self.identity)) }
        expect(.undecodable) { _ = try calls.find(.generic()) }
        expect(.undecodable) { try calls.update(.generic(Self.identity), [.label: "canary"]) }
        expect(.duplicateItem) { try calls.add(Self.identity) }
        #expect(try calls.accounts(.generic(Self.sound)) == ["canary 4"])
    }

    @Test func `a damaged item is still the one that is unique as it is`() throws {
        let calls = try damaged()
        expect(.duplicateItem) { try calls.add(Self.identity) }
        expect(.duplicateItem) { try calls.update(.generic(Self.sound), Self.identity) }
        #expect(try calls.accounts(.generic(Self.sound)) == ["canary 4"])
        #expect(try calls.status().itemCount == 10)
    }

    @Test(arguments: [identity, [.account: "canary 3"]])
    func `a damaged item can be deleted, and all is well again`(filter: Attributes) throws {
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
    func `whatever part of it is damaged, an item can be deleted`(change: String) throws {
        let calls = try damaged(change)
        try calls.delete(.generic(Self.identity))
        #expect(try calls.reopened().accounts(.generic()).count == 9)
    }

    @Test func `a damaged item is deleted whichever buckets its names would have in other groups`() throws {
        let calls = try damaged()
        // So many that one of them is in the bucket of the damaged item.
        let groups = (0..<5_000).map { "TEAM.\($0)" }
        try calls.with(groups: ["TEAM.app"] + groups).delete(.generic(Self.identity))
        #expect(try calls.reopened().accounts(.generic()).count == 9)
    }

    @Test func `everything can be deleted, damaged or not`() throws {
        let calls = try damaged()
        try execute("UPDATE item SET attributes = x'' WHERE id > 6")
        try calls.delete(.generic())
        expect(.itemNotFound) { _ = try calls.reopened().find(.generic()) }
        #expect(try calls.status().itemCount == 0)
    }

    @Test func `a filter that only the opened item could decide does not delete it`() throws {
        let calls = try damaged()
        expect(.undecodable) { try calls.delete(.generic(Self.identity.with([.comment: "canary"]))) }
        expect(.undecodable) { try calls.delete(.generic([.creator: 1])) }
        #expect(try calls.status().itemCount == 10)
    }

    @Test func `where an item is missing, deleting a damaged one makes nothing good`() throws {
        let calls = try damaged()
        try execute("DELETE FROM item WHERE id = 7")
        expect(.undecodable) { try calls.delete(.generic(Self.identity)) }
        expect(.undecodable) { _ = try calls.find(.generic()) }
    }
}
