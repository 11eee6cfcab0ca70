// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct DependentAddTests {
    private static let owner = Caller(applicationIdentifier: "canary.owner", accessGroups: ["canary.owner"])

    private func add(_ account: String, and second: String, in calls: Calls) throws(StatusError) {
        let item = NewItem(
            itemClass: .genericPassword,
            attributes: [.account: .string(account)],
            secret: SecretBuffer("canary first".utf8),
            returning: .persistentReference
        )
        let found = try calls.keychain.add(
            item,
            for: calls.caller,
            and: { first in
                NewItem(
                    itemClass: .genericPassword,
                    attributes: [.account: .string(second), .generic: .data(first.reference.bytes)],
                    secret: SecretBuffer("canary second".utf8)
                )
            },
            for: Self.owner,
            with: .none
        )
        #expect(found.reference.itemClass == .genericPassword)
    }

    private func isStored(_ account: String, in calls: Calls) throws -> Bool {
        let filter = ItemFilter(itemClass: .genericPassword, attributes: [.account: .string(account)])
        do throws(StatusError) {
            return try calls.find(filter).count == 1
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return false
        }
    }

    @Test func `both items are stored, each in the group of its own caller`() throws {
        let calls = try Calls()
        try add("first", and: "second", in: calls)
        #expect(try isStored("first", in: calls))
        #expect(try !isStored("second", in: calls))
        var owner = calls
        owner.caller = Self.owner
        #expect(try isStored("second", in: owner))
        #expect(try !isStored("first", in: owner))
    }

    @Test func `if the second item cannot be added, the first is not stored either`() throws {
        let calls = try Calls()
        try add("first", and: "second", in: calls)
        expect(.duplicateItem) { try add("other", and: "second", in: calls) }
        #expect(try !isStored("other", in: calls))
    }
}
