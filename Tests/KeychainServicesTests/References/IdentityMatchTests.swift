// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// Queries for identities: which attributes and match keys apply to the certificate, and which to the key.
@Suite(.searchedKeychain) struct IdentityMatchTests {
    private let mailed: IssuedIdentity
    private let brief: IssuedIdentity

    /// Two identities, one with an email address, the other valid for a day.
    private static let issued = Result { () throws -> [IssuedIdentity] in
        let authority = try CertificateAuthority()
        return [
            try authority.issue("canary mailed", email: "mailed@canary.example"),
            try authority.issue("canary brief", days: 1),
        ]
    }

    init() throws {
        let issued = try Self.issued.get()
        (mailed, brief) = (issued[0], issued[1])
        for one in issued {
            let item: Entries = [kSecValueRef as String: try #require(one.identity)]
            #expect(add(item).status == errSecSuccess)
        }
    }

    private func names(_ more: Entries) -> [String] {
        let query: Entries = [
            kSecClass as String: kSecClassIdentity, kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnAttributes as String: true,
        ]
        let found = find(query.adding(more)).result as? [[String: Any]] ?? []
        return found.compactMap { $0["labl"] as? String }.sorted()
    }

    private func attributes(_ itemClass: CFString, _ label: String) throws -> [String: Any] {
        let query: Entries = [
            kSecClass as String: itemClass, kSecAttrLabel as String: label,
            kSecReturnAttributes as String: true,
        ]
        return try #require(find(query).result as? [String: Any])
    }

    @Test func `match keys apply to the certificate of an identity`() throws {
        let day = 86_400.0
        let both = ["canary brief", "canary mailed"]
        let issuer = try #require(SecCertificateCopyNormalizedIssuerSequence(mailed.certificate) as Data?)
        let rows: [(CFString, Any, [String])] = [
            (kSecMatchValidOnDate, NSNull(), both),
            (kSecMatchValidOnDate, Date(timeIntervalSinceNow: 3 * day), ["canary mailed"]),
            (kSecMatchValidOnDate, Date(timeIntervalSinceNow: -3 * day), []),
            (kSecMatchEmailAddressIfPresent, "Mailed@canary.example", ["canary mailed"]),
            (kSecMatchEmailAddressIfPresent, "other@canary.example", []),
            (kSecMatchIssuers, [issuer], ["canary mailed"]),
            (kSecMatchIssuers, [Data()], both),
            (kSecMatchTrustedOnly, false, both),
            (kSecMatchSubjectContains, "absent", both),
            (kSecMatchItemList, [], both),
        ]
        for (key, value, expected) in rows {
            #expect(names([key as String: value]) == expected, "\(key)")
        }
    }

    @Test func `certificate attributes apply to the certificate, all others to the key`() throws {
        let certificate = try attributes(kSecClassCertificate, "canary mailed")
        for name in ["issr", "slnr", "skid", "pkhh", "labl"] {
            guard let value = certificate[name] else { continue }
            #expect(names([name: value]) == ["canary mailed"], "\(name)")
        }
        let subject = try #require(certificate["subj"])
        #expect(names(["subj": subject]) == ["canary mailed"])
        #expect(names(["ctyp": 3, "cenc": 3]).count == 2)
        #expect(names(["ctyp": 1]).isEmpty)
        #expect(names(["klbl": try #require(certificate["pkhh"])]) == ["canary mailed"])
        #expect(names(["pdmn": "ak"]).count == 2)
        #expect(names(["pdmn": "dk"]).isEmpty)
        #expect(names(["agrp": "TEAM.app"]).count == 2)
        #expect(names(["agrp": "TEAM.shared"]).isEmpty)
    }

    @Test func `the token and the key identifier apply to the certificate`() throws {
        let certificate: Entries = [
            kSecClass as String: kSecClassCertificate, kSecAttrLabel as String: "canary mailed",
        ]
        let rows: [(CFString, Any)] = [
            (kSecAttrTokenID, "canary token"), (kSecAttrSubjectKeyID, Data("canary identifier".utf8)),
        ]
        for (name, value) in rows {
            let attribute: Entries = [name as String: value]
            #expect(names(attribute).isEmpty, "\(name)")
            #expect(SecItemUpdate(certificate as CFDictionary, attribute as CFDictionary) == errSecSuccess)
            #expect(names(attribute) == ["canary mailed"], "\(name)")
        }
        // A query for identities compares the token attribute of the certificate, not that of the key.
        let key: Entries = [kSecValueRef as String: brief.privateKey]
        let other: Entries = [kSecAttrTokenID as String: "canary other"]
        #expect(SecItemUpdate(key as CFDictionary, other as CFDictionary) == errSecSuccess)
        #expect(names(other).isEmpty)
        #expect(names([:]) == ["canary brief", "canary mailed"])
    }

    @Test func `the dictionary of an identity combines the attributes of both parts`() throws {
        let everything: Entries = [
            kSecReturnData as String: true, kSecReturnAttributes as String: true,
            kSecReturnRef as String: true, kSecReturnPersistentRef as String: true,
        ]
        let query: Entries = [
            kSecClass as String: kSecClassIdentity, kSecAttrLabel as String: "canary mailed",
        ]
        let found = try #require(find(query.adding(everything)).result as? [String: Any])
        var names: Set<String> = ["class", "v_Data", "v_Ref", "v_PersistentRef"]
        for itemClass in [kSecClassCertificate, kSecClassKey] {
            let half: Entries = [kSecClass as String: itemClass, kSecReturnAttributes as String: true]
            names.formUnion(try #require(find(half).result as? [String: Any]).keys)
        }
        #expect(Set(found.keys).subtracting(["skid"]) == names.subtracting(["skid"]))
        #expect(found["v_Data"] as? Data == mailed.keyBytes)
        #expect(found["pdmn"] as? String == "dk")
        #expect(found["kcls"] as? Int == 1)
    }

    @Test func `public and private keys are distinguished by key class`() throws {
        let publicKey = try #require(mailed.publicKey)
        #expect(add([kSecValueRef as String: publicKey]).status == errSecSuccess)
        let label = try #require(try attributes(kSecClassCertificate, "canary mailed")["pkhh"])
        let query: Entries = [
            kSecClass as String: kSecClassKey, kSecAttrApplicationLabel as String: label,
            kSecReturnRef as String: true,
        ]
        let all = query.adding([kSecMatchLimit as String: kSecMatchLimitAll])
        #expect((find(all).result as? [SecKey])?.count == 2)
        let rows: [(CFString, SecKey)] = [
            (kSecAttrKeyClassPublic, publicKey), (kSecAttrKeyClassPrivate, mailed.privateKey),
        ]
        for (half, key) in rows {
            #expect(find(query.adding([kSecAttrKeyClass as String: half])).result as? SecKey == key)
        }
    }

    /// A match key with a value that excludes no item, and the status of a search for each class.
    // swift-format-ignore
    private static var applicability: [(CFString, Any, [String: OSStatus])] { [
        (kSecMatchIssuers,               [Data()],    ["genp": 0,  "inet": 0,  "cert": 0,  "keys": 0,  "idnt": 0]),
        (kSecMatchIssuers,               NSArray(),   ["genp": 0,  "inet": 0,  "cert": 0,  "keys": 0,  "idnt": 0]),
        (kSecMatchIssuers,               "x",         ["genp": 0,  "inet": 0,  "cert": 0,  "keys": 0,  "idnt": 0]),
        (kSecMatchIssuers,               5,           ["genp": 0,  "inet": 0,  "cert": 0,  "keys": 0,  "idnt": 0]),
        (kSecMatchIssuers,               Data(),      ["genp": 0,  "inet": 0,  "cert": 0,  "keys": 0,  "idnt": 0]),
        (kSecMatchIssuers,               [1, "x"] as [Any], ["genp": 0, "inet": 0, "cert": 0, "keys": 0, "idnt": 0]),
        (kSecMatchHostOrSubdomainOfHost, "canary",    ["genp": -4, "inet": 0,  "cert": -4, "keys": -4, "idnt": -4]),
        (kSecMatchValidOnDate,           NSNull(),    ["genp": 0,  "inet": 0,  "cert": 0,  "keys": 0,  "idnt": 0]),
        (kSecMatchTrustedOnly,           false,       ["genp": 0,  "inet": 0,  "cert": 0,  "keys": 0,  "idnt": 0]),
        (kSecMatchCaseInsensitive,       true,        ["genp": 0,  "inet": 0,  "cert": 0,  "keys": 0,  "idnt": 0]),
    ] }

    @Test(arguments: applicability.indices, ["genp", "inet", "cert", "keys", "idnt"])
    func `a match key applies to its classes and is ignored or rejected for others`(
        index: Int,
        itemClass: String
    ) throws {
        let (key, value, statuses) = Self.applicability[index]
        for passwordClass in ["genp", "inet"] {
            let item: Entries = [kSecClass as String: passwordClass]
            let server: Entries = passwordClass == "inet" ? [kSecAttrServer as String: "canary"] : [:]
            #expect(add(item.adding(server)).status == errSecSuccess)
        }
        let query: Entries = [kSecClass as String: itemClass, key as String: value]
        #expect(find(query).status == statuses[itemClass])
    }

    @Test func `a match key that does not apply to identities is rejected`() throws {
        let query: Entries = [kSecValueRef as String: try #require(mailed.identity)]
        let host = query.adding([kSecMatchHostOrSubdomainOfHost as String: "canary"])
        #expect(find(host).status == errSecUnimplemented)
        #expect(find(query).status == errSecSuccess)
    }

    @Test func `the label inferred from the certificate's name is not set on the key`() throws {
        let query: Entries = [kSecClass as String: kSecClassKey, kSecReturnAttributes as String: true]
        let key = try #require(find(query).result as? [String: Any])
        #expect(key["labl"] == nil)
        #expect(names([:]) == ["canary brief", "canary mailed"])
    }

    @Test func `an identity is added with attributes that both classes have, or not at all`() throws {
        #expect(SecItemDelete([kSecClass: kSecClassIdentity] as CFDictionary) == errSecSuccess)
        let item: Entries = [kSecValueRef as String: try #require(mailed.identity)]
        for name in [kSecAttrApplicationTag, kSecAttrSubject, kSecAttrDescription] {
            #expect(add(item.adding([name as String: Data()])).status == errSecNoSuchAttr)
        }
        for itemClass in [kSecClassCertificate, kSecClassKey] {
            #expect(find([kSecClass as String: itemClass]).status == errSecItemNotFound)
        }
    }

    @Test func `one key with two certificates forms two identities`() throws {
        let authority = try CertificateAuthority()
        let first = try authority.issue("canary one")
        let second = try authority.issue("canary two", keyOf: "canary one")
        for issued in [first, second] {
            #expect(add([kSecValueRef as String: try #require(issued.identity)]).status == errSecSuccess)
        }
        #expect(names([:]) == ["canary brief", "canary mailed", "canary one", "canary two"])
        let query: Entries = [kSecClass as String: kSecClassIdentity, kSecMatchLimit as String: 3]
        let limited = find(query.adding([kSecReturnRef as String: true]))
        #expect((limited.result as? [SecIdentity])?.count == 3)
    }
}
