// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// Persistent references, access groups and synchronization of certificates, keys and identities.
@Suite(.searchedKeychain) struct ObjectReferenceTests {
    private let issued: IssuedIdentity
    private let other: IssuedIdentity

    init() throws {
        let both = try SharedIdentities.both.get()
        (issued, other) = (both[0], both[1])
    }

    private func object(_ itemClass: String) -> NSObject? {
        switch itemClass {
        case "cert": issued.certificate
        case "keys": issued.privateKey
        default: issued.identity
        }
    }

    private func adding(_ itemClass: String, _ more: Entries = [:]) -> Entries {
        [kSecValueRef as String: object(itemClass) as Any].adding(more)
    }

    private func persistent(_ itemClass: String) throws -> Data {
        let added = add(adding(itemClass, [kSecReturnPersistentRef as String: true]))
        #expect(added.status == errSecSuccess)
        return try #require(added.result as? Data)
    }

    @Test(arguments: ["cert", "keys", "idnt"])
    func `a persistent reference finds only its object`(itemClass: String) throws {
        let reference = try persistent(itemClass)
        #expect(reference.count == 20)
        #expect(reference.prefix(4) == Data(itemClass.utf8))
        let query: Entries = [kSecValuePersistentRef as String: reference, kSecReturnRef as String: true]
        let companions: [Entries] = [
            [:], [kSecClass as String: itemClass],
            [kSecAttrSynchronizable as String: kSecAttrSynchronizableAny],
        ]
        for more in companions {
            #expect(find(query.adding(more)).result as? NSObject == object(itemClass))
        }
        for more in [["labl": "canary"], ["sync": false], ["agrp": "TEAM.app"], ["pdmn": "ak"]] as [Entries] {
            #expect(find(query.adding(more)).status == errSecParam)
        }
        #expect(find(query.adding([kSecClass as String: "genp"])).status == errSecNoSuchClass)
    }

    @Test func `the reference of an identity is that of its certificate with another prefix`() throws {
        let reference = try persistent("idnt")
        let certificate = find([
            kSecClass as String: kSecClassCertificate, kSecReturnPersistentRef as String: true,
        ])
        #expect((certificate.result as? Data)?.dropFirst(4) == reference.dropFirst(4))
        let key = Data("keys".utf8) + reference.dropFirst(4)
        #expect(find([kSecValuePersistentRef as String: key]).status == errSecItemNotFound)
    }

    @Test(arguments: ["cert", "keys", "idnt"])
    func `a persistent reference does not find objects of foreign groups`(itemClass: String) throws {
        let query: Entries = [kSecValuePersistentRef as String: try persistent(itemClass)]
        try SearchedKeychain.withAccessGroups(["OTHER.app"]) {
            #expect(find(query).status == errSecItemNotFound)
            #expect(SecItemDelete(query as CFDictionary) == errSecItemNotFound)
            #expect(find(adding(itemClass)).status == errSecItemNotFound)
            #expect(add(adding(itemClass)).status == errSecSuccess)
        }
        #expect(find(query).status == errSecSuccess)
    }

    @Test(arguments: ["cert", "keys"])
    func `a reference survives updates; attributes in the same query must match`(itemClass: String) throws {
        let query: Entries = [kSecValuePersistentRef as String: try persistent(itemClass)]
        let values: Entries = [
            kSecAttrLabel as String: "canary changed", kSecAttrAccessGroup as String: "TEAM.shared",
            kSecAttrSynchronizable as String: true,
        ]
        let unfit = query.adding([kSecAttrLabel as String: "canary unfit"]) as CFDictionary
        #expect(SecItemUpdate(unfit, values as CFDictionary) == errSecItemNotFound)
        #expect(SecItemUpdate(query as CFDictionary, values as CFDictionary) == errSecSuccess)
        let found = find(query.adding([kSecReturnAttributes as String: true])).result as? [String: Any]
        #expect(found?["agrp"] as? String == "TEAM.shared")
        #expect(found?["sync"] as? Int == 1)
        #expect(SecItemDelete(unfit) == errSecItemNotFound)
        #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
        #expect(add(adding(itemClass)).status == errSecSuccess)
        #expect(find(query).status == errSecItemNotFound)
    }

    @Test(arguments: ["genp", "cert", "keys"])
    func `adding ignores a persistent reference`(itemClass: String) throws {
        let reference = Data(itemClass.utf8) + Data(repeating: 7, count: 16)
        let item: Entries = [
            kSecClass as String: itemClass, kSecValuePersistentRef as String: reference,
            kSecReturnPersistentRef as String: true,
        ]
        let added = try #require(add(item).result as? Data)
        #expect(added != reference)
        #expect(find([kSecValuePersistentRef as String: reference]).status == errSecItemNotFound)
        #expect(find([kSecValuePersistentRef as String: added]).status == errSecSuccess)
    }

    @Test(arguments: ["genp", "inet", "cert", "keys"])
    func `adding ignores a supplied UUID, and the assigned UUID finds the item`(itemClass: String) throws {
        let given = "07070707-0707-0707-0707-070707070707"
        let item: Entries = [kSecClass as String: itemClass, kSecAttrUUID as String: given]
        let added = add(item.adding([kSecReturnPersistentRef as String: true]))
        #expect(added.status == errSecSuccess)
        #expect(find(item).status == errSecItemNotFound)
        let bytes = try #require(added.result as? Data).dropFirst(4)
        try #require(bytes.count == 16)
        let own = UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
        let query: Entries = [kSecClass as String: itemClass, kSecAttrUUID as String: own.uuidString]
        #expect(find(query).status == errSecSuccess)
    }

    @Test(arguments: ["cert", "keys", "idnt"])
    func `a synchronizable object is a separate item, which default queries do not find`(itemClass: String) {
        let sync: Entries = [kSecAttrSynchronizable as String: true]
        #expect(add(adding(itemClass, sync)).status == errSecSuccess)
        let plain: Entries = [kSecClass as String: itemClass]
        #expect(find(plain).status == errSecItemNotFound)
        #expect(find(adding(itemClass)).status == errSecItemNotFound)
        #expect(SecItemDelete(adding(itemClass) as CFDictionary) == errSecItemNotFound)
        #expect(find(plain.adding(sync)).status == errSecSuccess)
        #expect(add(adding(itemClass)).status == errSecSuccess)
        #expect(add(adding(itemClass, sync)).status == errSecDuplicateItem)
    }

    @Test(arguments: ["cert", "keys", "idnt"], [true, false])
    func `deleting an object leaves a tombstone unless disabled`(itemClass: String, leaves: Bool) throws {
        let sync: Entries = [kSecAttrSynchronizable as String: true]
        #expect(add(adding(itemClass, sync)).status == errSecSuccess)
        let deletion = adding(itemClass, sync).adding([kSecUseTombstones as String: leaves])
        #expect(SecItemDelete(deletion as CFDictionary) == errSecSuccess)
        for half in itemClass == "idnt" ? ["cert", "keys"] : [itemClass] {
            let query = sync.adding([kSecClass as String: half])
            #expect(find(query).status == errSecItemNotFound)
            let tombstone = query.adding([kSecAttrTombstone as String: 1])
            #expect(find(tombstone).status == (leaves ? errSecSuccess : errSecItemNotFound))
        }
    }

    @Test(arguments: ["cert", "keys"])
    func `the access group is part of an object's primary key`(itemClass: String) {
        let shared: Entries = [kSecAttrAccessGroup as String: "TEAM.shared"]
        #expect(add(adding(itemClass)).status == errSecSuccess)
        #expect(add(adding(itemClass, shared)).status == errSecSuccess)
        #expect(add(adding(itemClass, shared)).status == errSecDuplicateItem)
        let query = adding(itemClass, shared) as CFDictionary
        let values = [kSecAttrAccessGroup: "TEAM.app"] as CFDictionary
        #expect(SecItemUpdate(query, values) == errSecDuplicateItem)
        #expect(SecItemDelete([kSecClass: itemClass] as CFDictionary) == errSecSuccess)
        #expect(find([kSecClass as String: itemClass]).status == errSecItemNotFound)
    }

    @Test(arguments: ["cert", "keys"])
    func `an object finds its item regardless of label; kSecValueData is ignored`(itemClass: String) {
        #expect(add(adding(itemClass, [kSecAttrLabel as String: "canary own"])).status == errSecSuccess)
        let bytes: Entries = [kSecValueData as String: Data("canary other".utf8)]
        #expect(find(adding(itemClass)).status == errSecSuccess)
        #expect(find(adding(itemClass, bytes)).status == errSecSuccess)
        let labelled = adding(itemClass, [kSecAttrLabel as String: "canary another"])
        #expect(find(labelled).status == errSecItemNotFound)
        let changed = [kSecValueData: Data("canary other".utf8)] as CFDictionary
        #expect(SecItemUpdate(adding(itemClass) as CFDictionary, changed) == errSecSuccess)
        #expect(find(adding(itemClass)).status == errSecSuccess)
    }
}
