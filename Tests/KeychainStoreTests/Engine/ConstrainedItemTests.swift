// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct ConstrainedItemTests {
    private let calls: Calls
    private static let presence = AccessControl(protection: .whenUnlocked, flags: 1)

    init() throws {
        calls = try Calls()
        try SearchedKeychain.setPasscode()
    }

    private func key(_ passcode: String = SearchedKeychain.passcode) throws -> AccessControlKey {
        try calls.keychain.authenticate(with: SecretBytes(passcode))
    }

    private func find(
        _ key: AccessControlKey?,
        _ filter: ItemFilter = .generic(),
        skipping: Bool = false
    ) throws -> [FoundItem] {
        var request = CopyRequest(filter: filter, limit: .all, returning: .everything)
        request.skipsConstrained = skipping
        let response = try calls.keychain.perform(
            .copy(request),
            for: calls.caller,
            with: Credential(accessControlKey: key)
        )
        guard case .items(let items) = response else { return [] }
        return items
    }

    private func addItem(_ account: AttributeValue = "canary a") throws {
        let item = try calls.add([.account: account], accessControl: Self.presence)
        #expect(item?.secret == SecretBuffer("canary secret".utf8))
        #expect(item?.accessControl == Self.presence)
    }

    @Test func `an item with an access control opens only with the passcode`() throws {
        try addItem()
        #expect(throws: Self.presence.authenticationNeeded) { try find(nil) }
        let found = try find(key())
        #expect(found.map(\.secret) == [SecretBuffer("canary secret".utf8)])
        #expect(found.map(\.accessControl) == [Self.presence])
        // The authentication result of the previous call is not retained.
        #expect(throws: Self.presence.authenticationNeeded) { try find(nil) }
        #expect(throws: Self.presence.authenticationNeeded) { try calls.reopened().find(.generic()) }
    }

    @Test func `a locked item stays locked regardless of authentication`() throws {
        try addItem()
        let key = try key()
        try calls.keychain.lock()
        expect(.interactionNotAllowed) { _ = try find(key) }
        expect(.interactionNotAllowed) { _ = try find(nil) }
        #expect(throws: StatusError(.itemNotFound)) { try find(nil, .generic([.account: "canary b"])) }
    }

    @Test func `the new passcode opens items of the old one`() throws {
        try addItem()
        let old = try key()
        try calls.keychain.changePasscode(
            from: SecretBytes(SearchedKeychain.passcode),
            to: SecretBytes("canary new"),
            cost: LockedStore.cost
        )
        try addItem("canary b")
        #expect(try find(key("canary new")).count == 2)
        #expect(try find(old).count == 2)
    }

    @Test func `removing the passcode deletes items that cannot be opened any more`() throws {
        try addItem()
        try addItem("canary b")
        try calls.add([.account: "canary c"])
        let old = try key()
        try SearchedKeychain.lock()
        let passcode = SecretBytes(SearchedKeychain.passcode)
        #expect(try calls.keychain.countItemsNeedingPasscode(passcode) == 2)
        #expect(try SearchedKeychain.removePasscode() == 2)
        #expect(try calls.accounts(.generic()) == ["canary c"])
        expect(.authenticationFailed) { try addItem() }
        try SearchedKeychain.setPasscode()
        try addItem()
        #expect(throws: Self.presence.authenticationNeeded) { try find(old) }
        #expect(try find(key()).count == 2)
    }

    @Test func `deleting requires no authentication unless the item must be read to match`() throws {
        try addItem()
        try addItem("canary b")
        #expect(throws: Self.presence.authenticationNeeded) {
            try calls.delete(.generic([.comment: "canary"]))
        }
        try calls.delete(.generic([.account: "canary a"]))
        try calls.delete(.generic())
        #expect(try calls.status().itemCount == 0)
    }

    @Test func `items with an unsatisfied access control are skipped on request`() throws {
        try addItem()
        try calls.add([.account: "canary plain"])
        #expect(throws: Self.presence.authenticationNeeded) { try find(nil) }
        #expect(try find(nil, skipping: true).map { $0.attributes[.account] } == ["canary plain"])
        #expect(try find(key(), skipping: true).count == 2)
        #expect(throws: StatusError(.itemNotFound)) {
            try find(nil, .generic([.account: "canary a"]), skipping: true)
        }
    }

    private func update(_ request: UpdateRequest, _ key: AccessControlKey?) throws {
        _ = try calls.keychain.perform(
            .update(request),
            for: calls.caller,
            with: Credential(accessControlKey: key)
        )
    }

    @Test func `an update keeps the constraints unless it sets new ones or a protection class`() throws {
        try addItem()
        let change = UpdateRequest(filter: .generic(), attributes: [.label: "canary label"])
        #expect(throws: Self.presence.authenticationNeeded) { try update(change, nil) }
        let key = try key()
        try update(change, key)
        try update(UpdateRequest(filter: .generic(), secret: SecretBuffer("canary new".utf8)), key)
        #expect(throws: Self.presence.authenticationNeeded) { try find(nil) }
        let item = try #require(try find(key).first)
        #expect(item.attributes[.label] == "canary label")
        #expect(item.secret == SecretBuffer("canary new".utf8))
        let other = AccessControl(protection: .afterFirstUnlock, flags: 1 << 4)
        try update(UpdateRequest(filter: .generic(), accessControl: other), key)
        #expect(throws: other.authenticationNeeded) { try find(nil) }
        #expect(try find(key).first?.secret == SecretBuffer("canary new".utf8))
        try update(UpdateRequest(filter: .generic(), attributes: [.accessible: "ck"]), key)
        #expect(try find(nil).first?.secret == SecretBuffer("canary new".utf8))
        try update(UpdateRequest(filter: .generic(), accessControl: Self.presence), nil)
        #expect(throws: Self.presence.authenticationNeeded) { try find(nil) }
        #expect(try find(key).first?.secret == SecretBuffer("canary new".utf8))
    }

    @Test func `a missing recipient public key is restored when the passcode is verified`() throws {
        let path = try #require(SearchedKeychain.directory).appending(component: "keychain.db").path
        try SampleStore.sql("DELETE FROM page WHERE id = 3", in: path)
        #expect(throws: Self.presence.authenticationNeeded) { try addItem() }
        let key = try key()
        try addItem()
        #expect(try find(key).count == 1)
    }

    @Test func `a foreign recipient public key is not used`() throws {
        let path = try #require(SearchedKeychain.directory).appending(component: "keychain.db").path
        try SampleStore.sql("UPDATE page SET content = randomblob(72) WHERE id = 3", in: path)
        #expect(throws: Self.presence.authenticationNeeded) { try addItem() }
        #expect(try calls.status().itemCount == 0)
    }
}
