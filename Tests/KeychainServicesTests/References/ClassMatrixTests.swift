// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// Two identities shared by the tests that do not change them, because generating them is slow.
enum SharedIdentities {
    static let both = Result { () throws -> [IssuedIdentity] in
        let authority = try CertificateAuthority()
        return [try authority.issue("canary stored"), try authority.issue("canary new")]
    }
}

/// The error matrix of `ErrorMatrixTests`, for certificates, keys and identities.
@Suite(.searchedKeychain) struct ClassMatrixTests {
    private let stored: IssuedIdentity
    private let new: IssuedIdentity

    init() throws {
        let both = try SharedIdentities.both.get()
        (stored, new) = (both[0], both[1])
    }

    private func object(_ issued: IssuedIdentity, _ itemClass: String) -> Any {
        switch itemClass {
        case "cert": issued.certificate
        case "keys": issued.privateKey
        default: issued.identity as Any
        }
    }

    @Test(arguments: ["cert", "keys", "idnt"], MatrixRow.table)
    func `each call returns the status in the matrix`(itemClass: String, row: MatrixRow) {
        let query: Entries = [kSecClass as String: itemClass]
        let reference = { [kSecValueRef as String: object($0, itemClass)] as Entries }
        #expect(add(reference(stored)).status == errSecSuccess)
        let changed = query.adding(row.entries()) as CFDictionary
        #expect(SecItemCopyMatching(changed, nil) == row.copy, "copy")
        #expect(
            SecItemUpdate(changed, [kSecAttrLabel: Canary.make("label")] as CFDictionary) == row.update,
            "query"
        )
        #expect(
            SecItemUpdate(query as CFDictionary, row.entries() as CFDictionary) == row.newValues,
            "new values"
        )
        #expect(SecItemDelete(changed) == row.delete, "delete")
        #expect(add(query.adding(reference(new)).adding(named(row.entries()))).status == row.add, "add")
    }

    /// Returns the entries with all string keys as `String`, like the keys of the dictionary to merge them with.
    private func named(_ entries: Entries) -> Entries {
        Entries(
            uniqueKeysWithValues: entries.map {
                (($0.key.base as? String).map(AnyHashable.init) ?? $0.key, $0.value)
            }
        )
    }

    @Test(arguments: ["cert", "keys", "idnt"])
    func `adding the same object twice returns errSecDuplicateItem`(itemClass: String) {
        let item: Entries = [kSecValueRef as String: object(stored, itemClass)]
        #expect(add(item).status == errSecSuccess)
        #expect(add(item).status == errSecDuplicateItem)
        let labelled = item.adding([kSecAttrLabel as String: "canary label"])
        #expect(add(labelled).status == errSecDuplicateItem)
    }

    @Test(arguments: ["cert", "keys", "idnt"])
    func `calls for a missing object return errSecItemNotFound`(itemClass: String) {
        let queries: [Entries] = [
            [kSecClass as String: itemClass], [kSecValueRef as String: object(stored, itemClass)],
        ]
        for query in queries {
            #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound)
            #expect(SecItemUpdate(query as CFDictionary, [:] as CFDictionary) == errSecItemNotFound)
            #expect(SecItemDelete(query as CFDictionary) == errSecItemNotFound)
        }
    }

    @Test(arguments: ["cert", "keys", "idnt"])
    func `a program without a writable group cannot add, update or delete objects`(itemClass: String) throws {
        let query: Entries = [kSecClass as String: itemClass]
        let item: Entries = [kSecValueRef as String: object(stored, itemClass)]
        for groups in [[], ["com.apple.token"]] {
            try SearchedKeychain.withAccessGroups(groups) {
                #expect(add(item).status == errSecMissingEntitlement)
                let changes = [kSecAttrLabel: "canary"] as CFDictionary
                #expect(SecItemUpdate(query as CFDictionary, changes) == errSecMissingEntitlement)
                #expect(SecItemDelete(query as CFDictionary) == errSecMissingEntitlement)
                #expect(SecItemDelete(item as CFDictionary) == errSecMissingEntitlement)
                let expected = groups.isEmpty ? errSecMissingEntitlement : errSecItemNotFound
                #expect(find(query).status == expected)
            }
        }
    }

    @Test(arguments: ["genp", "inet", "cert", "keys", "idnt"])
    func `every call with an attribute that the class lacks returns errSecNoSuchAttr`(itemClass: String) {
        let foreign: [String: [CFString]] = [
            "genp": [kSecAttrServer, kSecAttrSubject, kSecAttrCanSign],
            "inet": [kSecAttrService, kSecAttrGeneric, kSecAttrKeyClass],
            "cert": [kSecAttrDescription, kSecAttrComment, kSecAttrApplicationTag, kSecAttrAccount],
            "keys": [kSecAttrDescription, kSecAttrIsInvisible, kSecAttrIssuer, kSecAttrService],
            "idnt": [kSecAttrDescription, kSecAttrAccount, kSecAttrPort],
        ]
        for name in foreign[itemClass] ?? [] {
            let query: Entries = [kSecClass as String: itemClass, name as String: Data()]
            let values: Entries = [name as String: Data()]
            let plain: Entries = [kSecClass as String: itemClass]
            #expect(find(query).status == errSecNoSuchAttr)
            #expect(SecItemUpdate(query as CFDictionary, [:] as CFDictionary) == errSecNoSuchAttr)
            #expect(SecItemUpdate(plain as CFDictionary, values as CFDictionary) == errSecNoSuchAttr)
            #expect(SecItemDelete(query as CFDictionary) == errSecNoSuchAttr)
            #expect(add(query).status == errSecNoSuchAttr)
        }
    }
}
