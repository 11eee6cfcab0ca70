// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// The results for certificates, keys and identities with every combination of return keys.
@Suite(.searchedKeychain) struct ObjectShapeTests {
    private static let shared = Result { try CertificateAuthority().issue("canary shape") }
    private let issued: IssuedIdentity

    init() throws {
        issued = try Self.shared.get()
        let item: Entries = [kSecValueRef as String: try #require(issued.identity)]
        #expect(add(item).status == errSecSuccess)
    }

    private func object(_ itemClass: String) -> NSObject? {
        switch itemClass {
        case "cert": issued.certificate
        case "keys": issued.privateKey
        default: issued.identity
        }
    }

    private func bytes(_ itemClass: String) -> Data? { itemClass == "cert" ? issued.der : issued.keyBytes }

    private func check(_ result: Any?, _ row: ShapeRow, _ itemClass: String) throws {
        switch (row.shape, row.ref) {
        case (.nothing, false): #expect(result == nil)
        case (.nothing, true): #expect(result as? NSObject == object(itemClass))
        case (.data, _): #expect(result as? Data == bytes(itemClass))
        case (.reference, _): #expect((result as? Data)?.prefix(4) == Data(itemClass.utf8))
        case (.dictionary, _): try check(dictionary: #require(result as? [String: Any]), row, itemClass)
        }
    }

    private func check(dictionary: [String: Any], _ row: ShapeRow, _ itemClass: String) throws {
        #expect(dictionary[kSecAttrAccessGroup as String] as? String == "TEAM.app")
        #expect(dictionary[kSecValueData as String] as? Data == (row.data ? bytes(itemClass) : nil))
        #expect(dictionary[kSecValueRef as String] as? NSObject == (row.ref ? object(itemClass) : nil))
        #expect(dictionary[kSecClass as String] as? String == (row.ref ? itemClass : nil))
        let persistent = dictionary[kSecValuePersistentRef as String] as? Data
        #expect(persistent?.prefix(4) == (row.persistent ? Data(itemClass.utf8) : nil))
        let isOfKey = itemClass != "cert"
        #expect((dictionary[kSecAttrKeyClass as String] as? Int == 1) == isOfKey)
        #expect((dictionary[kSecAttrIssuer as String] is Data) == (itemClass != "keys"))
    }

    @Test(arguments: ["cert", "keys", "idnt"], ShapeRow.table)
    func `a search returns one object or an array`(itemClass: String, row: ShapeRow) throws {
        let query = row.keys.adding([kSecClass as String: itemClass])
        let one = find(query)
        #expect(one.status == errSecSuccess)
        try check(one.result, row, itemClass)
        let all = find(query.adding([kSecMatchLimit as String: kSecMatchLimitAll]))
        #expect(all.status == errSecSuccess)
        let objects = try #require(all.result as? [Any])
        try check(objects.first, row, itemClass)
        #expect(objects.count == (row.shape == .nothing && !row.ref ? 0 : 1))
    }

    @Test(arguments: ["cert", "keys"], ShapeRow.table)
    func `adding returns one object`(itemClass: String, row: ShapeRow) throws {
        let item: Entries = [
            kSecClass as String: itemClass, kSecValueRef as String: object(itemClass) as Any,
        ]
        #expect(SecItemDelete(item as CFDictionary) == errSecSuccess)
        let added = add(item.adding(row.keys))
        #expect(added.status == errSecSuccess)
        try check(added.result, row, itemClass)
    }

    @Test(arguments: ["cert", "keys"])
    func `returned attributes find exactly their object`(itemClass: String) throws {
        let query: Entries = [kSecClass as String: itemClass, kSecReturnAttributes as String: true]
        let attributes = try #require(find(query).result as? Entries)
        let again: Entries = [kSecClass as String: itemClass, kSecReturnData as String: true]
        #expect(find(attributes.adding(again)).result as? Data == bytes(itemClass))
    }
}
