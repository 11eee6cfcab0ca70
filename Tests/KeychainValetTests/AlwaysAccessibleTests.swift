// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing
import Valet

#if !os(macOS)
/// Reading items that Valet 3 and earlier stored with the removed always-accessible classes.
@Suite(.ownKeychain) struct AlwaysAccessibleTests {
    struct Class: Sendable, CustomTestStringConvertible {
        let name: String
        let attribute: String
        let migrate: @Sendable (Valet, Bool) throws -> Void

        var testDescription: String { attribute }

        static let table: [Self] = [
            .init(name: "AccessibleAlways", attribute: "dk") {
                try $0.migrateObjectsFromAlwaysAccessibleValet(removeOnCompletion: $1)
            },
            .init(name: "AccessibleAlwaysThisDeviceOnly", attribute: "dku") {
                try $0.migrateObjectsFromAlwaysAccessibleThisDeviceOnlyValet(removeOnCompletion: $1)
            },
        ]
    }

    /// Returns the item that a valet of this kind wrote with the removed class.
    private func item(of kind: Kind, _ old: Class) -> RawItem {
        let service = kind.service(.whenUnlocked).replacingOccurrences(
            of: "AccessibleWhenUnlocked",
            with: old.name
        )
        var more = kind.attributes(.whenUnlocked)
        more[kSecAttrAccessible as String] = old.attribute
        return RawItem(service: service, account: "key", more: more)
    }

    @Test(arguments: Kind.table, Class.table)
    func `each kind finds items with removed accessibilities`(kind: Kind, old: Class) throws {
        let valet = try #require(try kind.make(.whenUnlocked))
        let item = item(of: kind, old)
        try item.add()
        // With an explicitly set identifier the service stays the same, so the item is updated, not copied.
        let isSame = item.service == kind.service(.whenUnlocked)
        try old.migrate(valet, false)
        #expect(try valet.string(forKey: "key") == "canary value")
        #expect(item.exists == !isSame)
        try valet.removeAllObjects()
        #expect(item.exists == !isSame)
        if isSame { try item.add() }
        try old.migrate(valet, true)
        #expect(try valet.string(forKey: "key") == "canary value")
        #expect(!item.exists)
        #expect(throws: KeychainError.itemNotFound) { try old.migrate(valet, true) }
        try valet.removeAllObjects()
    }

    /// Earlier versions of Valet added an item with one of these accounts to find the prefix of the access groups.
    @Test(arguments: [
        ("SharedAccessGroupAlwaysAccessiblePrefixPlaceholder", "dku"),
        ("SharedAccessGroupPrefixPlaceholder", "ck"),
    ])
    func `placeholder items for the group prefix are not values`(
        account: String,
        accessibility: String
    ) throws {
        let valet = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        let stray = RawItem(
            service: "",
            account: account,
            value: nil,
            more: [kSecAttrAccessible as String: accessibility]
        )
        try stray.add()
        defer {
            SecItemDelete(
                [kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account]
                    as CFDictionary
            )
        }
        let query: [String: AnyHashable] = [
            kSecClass as String: kSecClassGenericPassword as String, kSecAttrAccount as String: account,
        ]
        try valet.migrateObjects(matching: query, removeOnCompletion: true)
        #expect(try valet.allKeys() == [])
        #expect(stray.exists)
    }
}
#endif
