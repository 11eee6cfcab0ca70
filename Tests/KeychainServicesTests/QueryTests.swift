// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct MatchKeyTests {
    private let stored = StoredPassword()
    private let host = "\(Canary.marker).example"

    /// A match key with a valid and an invalid value, and the statuses of searches with the valid value.
    ///
    /// `wrong` is `nil` if every value is accepted. A generic password is stored, but no certificate, so for
    /// certificates `errSecItemNotFound` (-25300) means that the key is accepted.
    struct MatchRow: Sendable, CustomTestStringConvertible {
        let key: String
        let right: @Sendable () -> Any
        let wrong: (@Sendable () -> Any)?
        let generic: OSStatus
        let certificate: OSStatus

        var testDescription: String { key }

        static let table: [Self] = [
            .init(
                key: "m_Issuers",
                right: { [Data([0x30, 0])] },
                wrong: nil,
                generic: -4,
                certificate: -25_300
            ),
            .init(key: "m_Issuers", right: { [Data()] }, wrong: nil, generic: 0, certificate: -25_300),
            .init(key: "m_Issuers", right: { "ignored" }, wrong: nil, generic: 0, certificate: -25_300),
            .init(
                key: "m_Policy",
                right: { SecPolicyCreateBasicX509() },
                wrong: { "x" },
                generic: -4,
                certificate: -25_300
            ),
            .init(key: "m_ValidOnDate", right: { Date() }, wrong: { "x" }, generic: 0, certificate: -25_300),
            .init(key: "m_ValidOnDate", right: { NSNull() }, wrong: { 1 }, generic: 0, certificate: -25_300),
            .init(key: "m_TrustedOnly", right: { true }, wrong: { 1 }, generic: 0, certificate: -25_300),
            .init(
                key: "m_EmailAddressIfPresent",
                right: { "x" },
                wrong: { Data() },
                generic: 0,
                certificate: -25_300
            ),
            .init(key: "m_HostOrSubdomainOfHost", right: { "x" }, wrong: { 1 }, generic: -4, certificate: -4),
            .init(
                key: "m_Policy",
                right: { SecPolicyCreateSSL(true, nil) },
                wrong: { NSObject() },
                generic: -4,
                certificate: -25_300
            ),
            .init(key: "m_ItemList", right: { [NSObject()] }, wrong: nil, generic: 0, certificate: -25_300),
            .init(key: "m_SearchList", right: { 1 }, wrong: nil, generic: 0, certificate: -25_300),
            .init(key: "m_CaseInsensitive", right: { "x" }, wrong: nil, generic: 0, certificate: -25_300),
            .init(
                key: "m_DiacriticInsensitive",
                right: { true },
                wrong: nil,
                generic: 0,
                certificate: -25_300
            ),
            .init(key: "m_WidthInsensitive", right: { true }, wrong: nil, generic: 0, certificate: -25_300),
            .init(key: "m_SubjectContains", right: { "x" }, wrong: nil, generic: 0, certificate: -25_300),
            .init(key: "m_SubjectStartsWith", right: { "x" }, wrong: nil, generic: 0, certificate: -25_300),
            .init(key: "m_SubjectEndsWith", right: { "x" }, wrong: nil, generic: 0, certificate: -25_300),
            .init(key: "m_SubjectWholeString", right: { "x" }, wrong: nil, generic: 0, certificate: -25_300),
        ]
    }

    @Test(arguments: MatchRow.table)
    func `each match key applies to its classes`(row: MatchRow) {
        #expect(stored.add() == errSecSuccess)
        #expect(find(stored.query.adding([row.key: row.right()])).status == row.generic)
        let certificate: Entries = [kSecClass as String: kSecClassCertificate]
        #expect(find(certificate.adding([row.key: row.right()])).status == row.certificate)
        if let wrong = row.wrong {
            #expect(find(certificate.adding([row.key: wrong()])).status == errSecParam)
        }
    }

    @Test(arguments: MatchRow.table, ["genp", "inet", "cert", "keys", "idnt"])
    func `match keys are rejected by calls that do not search`(row: MatchRow, itemClass: String) {
        let stored = itemClass == "idnt" ? ["cert", "keys"] : [itemClass]
        for name in stored { #expect(add([kSecClass as String: name]).status == errSecSuccess) }
        let plain: Entries = [kSecClass as String: itemClass]
        let other = plain.adding([kSecAttrLabel as String: "canary other"])
        for query in [plain, other] {
            let matching = query.adding([row.key: row.right()])
            #expect(add(matching).status == errSecParam)
            #expect(SecItemUpdate(matching as CFDictionary, [:] as CFDictionary) == errSecParam)
            #expect(SecItemDelete(matching as CFDictionary) == errSecParam)
        }
        let values: Entries = [row.key: row.right()]
        #expect(SecItemUpdate(plain as CFDictionary, values as CFDictionary) == errSecNoSuchAttr)
        // The rejected calls left the stored items unchanged.
        for name in stored {
            let all: Entries = [
                kSecClass as String: name, kSecMatchLimit as String: kSecMatchLimitAll,
                kSecReturnPersistentRef as String: true,
            ]
            #expect((find(all).result as? [Data])?.count == 1)
        }
    }

    @Test func `a host matches itself and its subdomains`() throws {
        for server in [host, "www.\(host)", "a.b.\(host)", "not\(host)", "\(host).org"] {
            let item: Entries = [
                kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: server,
            ]
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
        }
        let found = find([
            kSecClass as String: kSecClassInternetPassword, kSecMatchHostOrSubdomainOfHost as String: host,
            kSecMatchLimit as String: kSecMatchLimitAll, kSecReturnAttributes as String: true,
        ])
        let servers = try #require(found.result as? [[String: Any]]).compactMap { $0["srvr"] as? String }
        #expect(Set(servers) == [host, "www.\(host)", "a.b.\(host)"])
    }

    @Test(arguments: ["cert", "keys", "idnt"])
    func `queries for certificates, keys and identities find nothing in a new keychain`(name: String) {
        let query: Entries = [kSecClass as String: name, kSecAttrLabel as String: "x"]
        #expect(find(query).status == errSecItemNotFound)
        #expect(SecItemDelete(query as CFDictionary) == errSecItemNotFound)
        #expect(SecItemUpdate(query as CFDictionary, [:] as CFDictionary) == errSecItemNotFound)
        #expect(find(query.adding([kSecAttrService as String: "x"])).status == errSecNoSuchAttr)
    }

    @Test func `an issuer must be data`() {
        let query: Entries = [kSecClass as String: kSecClassCertificate]
        #expect(find(query.adding([kSecAttrIssuer as String: "x"])).status == errSecParam)
        #expect(find(query.adding([kSecAttrIssuer as String: Data()])).status == errSecItemNotFound)
    }
}

@Suite(.searchedKeychain) struct SynchronizableTests {
    private let stored = StoredPassword()

    @Test func `a query without kSecAttrSynchronizable ignores synchronizable items`() {
        let sync = kSecAttrSynchronizable as String
        #expect(stored.add([sync: true]) == errSecSuccess)
        #expect(find(stored.query).status == errSecItemNotFound)
        #expect(SecItemDelete(stored.query as CFDictionary) == errSecItemNotFound)
        #expect(find(stored.query.adding([sync: false])).status == errSecItemNotFound)
        for value in [true, 1, "1", kSecAttrSynchronizableAny] as [Any] {
            #expect(find(stored.query.adding([sync: value])).status == errSecSuccess)
        }
    }

    @Test func `synchronizable and local items coexist until an update makes them duplicates`() {
        let sync = kSecAttrSynchronizable as String
        #expect(stored.add([sync: true]) == errSecSuccess)
        #expect(stored.add([sync: kSecAttrSynchronizableAny]) == errSecSuccess)
        let query = stored.query.adding([sync: kSecAttrSynchronizableAny])
        let all = query.adding([
            kSecMatchLimit as String: kSecMatchLimitAll, kSecReturnAttributes as String: true,
        ])
        #expect((find(all).result as? [NSDictionary])?.count == 2)
        #expect(
            SecItemUpdate(stored.query as CFDictionary, [sync: true] as CFDictionary) == errSecDuplicateItem
        )
        #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
        #expect(find(query).status == errSecItemNotFound)
    }

    @Test(arguments: ["aku", "cku", "dku"])
    func `a ThisDeviceOnly class does not prevent synchronizing`(accessible: String) {
        let entries: Entries = [
            kSecAttrSynchronizable as String: true, kSecAttrAccessible as String: accessible,
        ]
        #expect(stored.add(entries) == errSecSuccess)
        #expect(find(stored.query.adding(entries)).status == errSecSuccess)
        #expect(find(stored.query).status == errSecItemNotFound)
    }

    @Test func `deleting leaves a tombstone unless disabled, and only a query for tombstones finds it`() {
        let sync = kSecAttrSynchronizable as String
        let query = stored.query.adding([sync: true])
        let tombstone = query.adding([kSecAttrTombstone as String: 1])
        #expect(stored.add([sync: true]) == errSecSuccess)
        #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
        #expect(find(query).status == errSecItemNotFound)
        #expect(find(tombstone).status == errSecSuccess)
        #expect(stored.add([sync: true]) == errSecSuccess)
        #expect(find(tombstone).status == errSecItemNotFound)
        #expect(SecItemDelete(query.adding(["u_Tomb": false]) as CFDictionary) == errSecSuccess)
        #expect(find(tombstone).status == errSecItemNotFound)
    }
}

@Suite(.searchedKeychain) struct PersistentReferenceTests {
    private let stored = StoredPassword()

    private func reference() throws -> Data {
        let found = find(stored.query.adding([kSecReturnPersistentRef as String: true]))
        return try #require(found.result as? Data)
    }

    @Test func `a persistent reference finds only its item`() throws {
        let added = add(stored.query.adding([kSecReturnPersistentRef as String: true]))
        let reference = try reference()
        #expect(added.result as? Data == reference)
        let query: Entries = [kSecValuePersistentRef as String: reference]
        let attributes = find(query.adding([kSecReturnAttributes as String: true])).result as? [String: Any]
        #expect(attributes?["acct"] as? String == stored.account)
        #expect(find(query.adding(["class": "genp", "sync": "syna", "m_Limit": "m_LimitAll"])).status == 0)
        for more in [["acct": stored.account], ["sync": true], ["agrp": "TEAM.app"], ["pdmn": "ak"]]
            as [Entries]
        {
            #expect(find(query.adding(more)).status == errSecParam)
        }
        #expect(find(query.adding(["class": "inet"])).status == errSecNoSuchClass)
    }

    @Test func `a persistent reference survives updates but not deletion`() throws {
        #expect(stored.add() == errSecSuccess)
        let query: Entries = [kSecValuePersistentRef as String: try reference()]
        let values: Entries = [
            kSecAttrAccount as String: Canary.make("account"), kSecAttrAccessGroup as String: "TEAM.shared",
            kSecAttrSynchronizable as String: true, kSecAttrAccessible as String: kSecAttrAccessibleAlways,
        ]
        #expect(SecItemUpdate(query as CFDictionary, values as CFDictionary) == errSecSuccess)
        let found = find(query.adding([kSecReturnData as String: true]))
        #expect(found.result as? Data == stored.secret)
        #expect(
            SecItemDelete(query.adding([kSecAttrAccount as String: "x"]) as CFDictionary)
                == errSecItemNotFound
        )
        #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
        #expect(find(query).status == errSecItemNotFound)
        #expect(stored.add() == errSecSuccess)
        #expect(find(query).status == errSecItemNotFound)
    }

    @Test func `an unknown reference finds nothing, and a malformed one returns errSecParam`() {
        let prefix = Data("genp".utf8)
        let rows: [(Data, OSStatus)] = [
            (prefix + Data(count: 16), errSecItemNotFound), (prefix + Data(count: 15), errSecParam),
            (prefix + Data(count: 17), errSecParam), (prefix + Data(count: 8), errSecParam),
            (Data("nope".utf8) + Data(count: 16), errSecParam), (Data(), errSecParam),
        ]
        for (reference, status) in rows {
            #expect(find([kSecValuePersistentRef as String: reference]).status == status)
        }
    }

    @Test func `an identity cannot be updated by its reference`() {
        let query: Entries = [kSecValuePersistentRef as String: Data("idnt".utf8) + Data(count: 16)]
        #expect(SecItemUpdate(query as CFDictionary, [:] as CFDictionary) == errSecInternal)
        let named = query.adding([kSecClass as String: kSecClassIdentity])
        #expect(SecItemUpdate(named as CFDictionary, [:] as CFDictionary) == errSecNoSuchClass)
    }
}

@Suite(.searchedKeychain) struct AccessGroupTests {
    private let stored = StoredPassword()

    @Test func `foreign items are not found; naming their group returns errSecMissingEntitlement`() throws {
        #expect(stored.add() == errSecSuccess)
        try SearchedKeychain.withAccessGroups(["OTHER.app"]) {
            #expect(find(stored.query).status == errSecItemNotFound)
            #expect(SecItemDelete(stored.query as CFDictionary) == errSecItemNotFound)
            #expect(find(stored.query.adding(["agrp": "TEAM.app"])).status == errSecMissingEntitlement)
            #expect(stored.add() == errSecSuccess)
        }
        #expect(find(stored.query).status == errSecSuccess)
    }

    @Test func `each group can contain the same item`() {
        let shared: Entries = [kSecAttrAccessGroup as String: "TEAM.shared"]
        #expect(stored.add() == errSecSuccess)
        #expect(stored.add(shared) == errSecSuccess)
        #expect(stored.add(shared) == errSecDuplicateItem)
        let all = stored.query.adding(["m_Limit": "m_LimitAll", "r_Attributes": true])
        let groups = (find(all).result as? [[String: Any]])?.compactMap { $0["agrp"] as? String }
        #expect(Set(groups ?? []) == ["TEAM.app", "TEAM.shared"])
        #expect(
            SecItemUpdate(stored.query.adding(shared) as CFDictionary, ["agrp": "TEAM.app"] as CFDictionary)
                == errSecDuplicateItem
        )
    }
}
