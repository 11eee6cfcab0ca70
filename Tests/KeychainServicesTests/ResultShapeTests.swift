// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// A combination of return keys, and the form of the result that it gives.
struct ShapeRow: Sendable, CustomTestStringConvertible {
    enum Shape: Sendable { case nothing, data, reference, dictionary }

    let data: Bool
    let attributes: Bool
    let ref: Bool
    let persistent: Bool

    static let table: [Self] = (0..<16).map {
        Self(data: $0 & 1 != 0, attributes: $0 & 2 != 0, ref: $0 & 4 != 0, persistent: $0 & 8 != 0)
    }

    var shape: Shape {
        switch (data, attributes, ref, persistent) {
        case (false, false, _, false): .nothing
        case (true, false, false, false): .data
        case (false, false, false, true): .reference
        default: .dictionary
        }
    }

    var keys: Entries {
        [
            kSecReturnData as String: data, kSecReturnAttributes as String: attributes,
            kSecReturnRef as String: ref, kSecReturnPersistentRef as String: persistent,
        ]
    }

    /// The keys of the result dictionary that are not attributes.
    var extra: Set<String> {
        Set(
            [data ? "v_Data" : nil, persistent ? "v_PersistentRef" : nil, ref ? "class" : nil].compactMap {
                $0
            }
        )
    }

    var testDescription: String {
        "data \(data), attributes \(attributes), ref \(ref), persistent reference \(persistent)"
    }
}

@Suite(.searchedKeychain) struct ResultShapeTests {
    private let stored = StoredPassword()
    private static let common: Set<String> = ["acct", "agrp", "cdat", "mdat", "pdmn", "sha1", "svce", "sync"]
    private static let found: Set<String> = common.union(["accc", "musr", "tomb"])

    private func check(_ object: Any?, _ row: ShapeRow, attributes: Set<String>) throws {
        switch row.shape {
        case .nothing: #expect(object == nil)
        case .data: #expect(object as? Data == stored.secret)
        case .reference: #expect((object as? Data)?.prefix(4) == Data("genp".utf8))
        case .dictionary:
            let dictionary = try #require(object as? [String: Any])
            #expect(Set(dictionary.keys) == attributes.union(row.extra))
            #expect(dictionary["v_Data"] as? Data == (row.data ? stored.secret : nil))
            #expect((dictionary["v_PersistentRef"] as? Data)?.count == (row.persistent ? 20 : nil))
            #expect(dictionary["class"] as? String == (row.ref ? "genp" : nil))
        }
    }

    @Test(arguments: ShapeRow.table)
    func `adding returns one object`(row: ShapeRow) throws {
        let item = stored.query.adding(row.keys).adding([kSecValueData as String: stored.secret])
        let added = add(item)
        #expect(added.status == errSecSuccess)
        try check(added.result, row, attributes: Self.common)
    }

    @Test(arguments: ShapeRow.table)
    func `a search for one item returns one object`(row: ShapeRow) throws {
        #expect(stored.add() == errSecSuccess)
        for limit in [kSecMatchLimitOne, 1] as [Any] {
            let found = find(stored.query.adding(row.keys).adding([kSecMatchLimit as String: limit]))
            #expect(found.status == errSecSuccess)
            try check(found.result, row, attributes: Self.found)
        }
    }

    @Test(arguments: ShapeRow.table)
    func `a search for several items returns an array even for one`(row: ShapeRow) throws {
        #expect(stored.add() == errSecSuccess)
        for limit in [kSecMatchLimitAll, 2, -1] as [Any] {
            let found = find(stored.query.adding(row.keys).adding([kSecMatchLimit as String: limit]))
            #expect(found.status == errSecSuccess)
            let array = try #require(found.result as? [Any])
            #expect(array.count == (row.shape == .nothing ? 0 : 1))
            if let first = array.first { try check(first, row, attributes: Self.found) }
        }
    }

    @Test func `an internet password has the default attributes`() throws {
        let server = Canary.make("server")
        let item: Entries = [
            kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: server,
            kSecReturnAttributes as String: true,
        ]
        let attributes = try #require(add(item).result as? [String: Any])
        #expect(attributes["srvr"] as? String == server)
        for name in ["acct", "sdmn", "atyp", "path"] { #expect(attributes[name] as? String == "", "\(name)") }
        for name in ["port", "ptcl", "sync"] { #expect(attributes[name] as? Int == 0, "\(name)") }
        #expect(attributes["pdmn"] as? String == String(kSecAttrAccessibleWhenUnlocked))
        #expect(attributes["agrp"] as? String == "TEAM.app")
    }

    @Test func `a search, but not an addition, distinguishes an absent from an empty secret`() throws {
        let keys = [kSecReturnData as String: true] as Entries
        let both = keys.adding([kSecReturnAttributes as String: true])
        #expect(add(stored.query.adding(keys)).result as? Data == Data())
        let found = find(stored.query.adding(keys))
        #expect(found.status == errSecSuccess)
        #expect(found.result == nil)
        #expect((find(stored.query.adding(both)).result as? [String: Any])?.keys.contains("v_Data") == false)
        let all = find(stored.query.adding(keys).adding([kSecMatchLimit as String: kSecMatchLimitAll]))
        #expect((all.result as? [Any])?.isEmpty == true)
        let values = [kSecValueData: Data()] as CFDictionary
        #expect(SecItemUpdate(stored.query as CFDictionary, values) == errSecSuccess)
        #expect(find(stored.query.adding(keys)).result as? Data == Data())
        #expect((find(stored.query.adding(both)).result as? [String: Any])?["v_Data"] as? Data == Data())
    }

    @Test func `returned attributes are a query for the item`() throws {
        let other = StoredPassword()
        #expect(stored.add([kSecAttrGeneric as String: Data([1])]) == errSecSuccess)
        #expect(other.add() == errSecSuccess)
        let attributes = find(stored.query.adding([kSecReturnAttributes as String: true])).result
        var query = try #require(attributes as? [AnyHashable: Any])
        query[kSecClass as String] = kSecClassGenericPassword
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        query[kSecReturnData as String] = true
        #expect(find(query).result as? [Data] == [stored.secret])
    }

    @Test func `the attributes that adding returns are a query for the item`() throws {
        let added = add(
            stored.query.adding([kSecReturnAttributes as String: true, kSecReturnRef as String: true])
        )
        let query = try #require(added.result as? [AnyHashable: Any])
        #expect(query["class"] as? String == "genp")
        #expect(find(query).status == errSecSuccess)
        #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
    }

    @Test func `a failed call leaves the result unchanged`() {
        var result: CFTypeRef? = NSString("before")
        #expect(SecItemCopyMatching(stored.query as CFDictionary, &result) == errSecItemNotFound)
        #expect(result as? String == "before")
        #expect(SecItemAdd([:] as CFDictionary, &result) == errSecParam)
        #expect(result as? String == "before")
    }

    @Test func `the limit restricts the number of results`() throws {
        for _ in 0..<5 {
            let item = stored.query.adding([kSecAttrAccount as String: Canary.make("account")])
            #expect(add(item).status == errSecSuccess)
        }
        var query = stored.query.adding([kSecReturnAttributes as String: true])
        query[kSecAttrAccount as String] = nil
        for (limit, count) in [(2, 2), (5, 5), (9, 5), (-1, 5)] {
            query[kSecMatchLimit as String] = limit
            #expect((find(query).result as? [NSDictionary])?.count == count)
        }
        query[kSecMatchLimit as String] = 0
        #expect(find(query).status == errSecItemNotFound)
    }
}
