// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import LocalAuthentication
import Security
import Testing

@testable import KeychainSourceCompatibility

/// Runs the sample programs that imitate known libraries, and checks their results.
@Suite(.searchedKeychain) struct LibraryEffectTests {
    private let name = Canary.make("name")
    private let secret = Canary.make("secret")

    @Test func `a shared instance stores, finds and removes values`() {
        let store = SharedInstance(serviceName: name)
        #expect(store.allKeys() == [])
        #expect(store.set(12, forKey: "number"))
        #expect(store.set(13, forKey: "number"))
        #expect(store.integer(forKey: "number") == 13)
        #expect(store.set(true, forKey: "flag") && store.bool(forKey: "flag") == true)
        #expect(store.set(Float(5.25), forKey: "float") && store.float(forKey: "float") == 5.25)
        #expect(store.set(10.75, forKey: "double") && store.double(forKey: "double") == 10.75)
        #expect(store.set(secret, forKey: "text") && store.string(forKey: "text") == secret)
        #expect(store.set([secret] as NSArray, forKey: "list"))
        #expect(store.object(forKey: "list") as? NSArray == [secret] as NSArray)
        #expect(store.hasValue(forKey: "number"))
        #expect(store.dataRef(forKey: "number")?.count == 20)
        #expect(store.dataRef(forKey: "nothing") == nil && store.data(forKey: "nothing") == nil)
        #expect(store.allKeys() == ["number", "flag", "float", "double", "text", "list"])
        #expect(store.removeObject(forKey: "number"))
        #expect(!store.removeObject(forKey: "number") && !store.hasValue(forKey: "number"))
        #expect(store.removeAllKeys() && store.allKeys().isEmpty)
        #expect(!store.removeAllKeys())
        #expect(SharedInstance.standard.set(secret, forKey: "text"))
        SharedInstance.wipeKeychain()
        #expect(!SharedInstance.standard.hasValue(forKey: "text"))
    }

    @Test func `a shared instance separates services, groups and synchronizable items`() {
        let store = SharedInstance(serviceName: name)
        let other = SharedInstance(serviceName: name + "2")
        let group = SharedInstance(serviceName: name, accessGroup: "TEAM.shared")
        #expect(store.set("own", forKey: "a") && other.set("other", forKey: "a"))
        #expect(group.allKeys().isEmpty)
        #expect(group.set("group", forKey: "b"))
        #expect(store.set("cloud", forKey: "a", isSynchronizable: true))
        #expect(store.string(forKey: "a") == "own" && other.string(forKey: "a") == "other")
        #expect(store.string(forKey: "a", isSynchronizable: true) == "cloud")
        #expect(store.allKeys() == ["a", "b"])
        #expect(group.allKeys() == ["b"] && group.removeAllKeys())
        #expect(store.allKeys() == ["a"] && other.allKeys() == ["a"])
    }

    @Test(arguments: Accessibility.every.filter { $0 != .whenPasscodeSetThisDeviceOnly })
    func `a shared instance returns the accessibility of a key`(accessibility: Accessibility) {
        let store = SharedInstance(serviceName: name)
        #expect(store.accessibility(ofKey: "a") == nil)
        #expect(store.set(secret, forKey: "a", withAccessibility: accessibility))
        #expect(store.accessibility(ofKey: "a") == accessibility)
        #expect(store.hasValue(forKey: "a", withAccessibility: accessibility))
        let another = accessibility == .always ? Accessibility.whenUnlocked : .always
        #expect(!store.hasValue(forKey: "a", withAccessibility: another))
        #expect(!store.set(secret, forKey: "a", withAccessibility: another))
        #expect(store.removeObject(forKey: "a", withAccessibility: accessibility))
    }

    @Test func `a shared instance has subscripts for literal keys`() {
        let store = SharedInstance(serviceName: name)
        let key: SharedInstance.Key = "key"
        store[key] = secret
        #expect(store[key] == secret)
        store[key] = 7
        #expect(store[key] == 7 && store.integer(forKey: key) == 7)
        store[key] = true
        #expect(store[key] == true && store.bool(forKey: key) == true)
        store[key] = 1.5 as Double
        #expect(store[key] == 1.5 as Double && store.double(forKey: key) == 1.5)
        store[key] = 2.5 as Float
        #expect(store[key] == 2.5 as Float && store.float(forKey: key) == 2.5)
        store[key] = Data(secret.utf8)
        #expect(store[key] == Data(secret.utf8) && store.data(forKey: key) == Data(secret.utf8))
        #expect(store.string(forKey: key) == secret)
        store[key] = nil as String?
        #expect(store[key] == secret)
        store.remove(forKey: key)
        #expect(store.data(forKey: key) == nil)
    }

    @Test func `queries can be compared as dictionaries`() throws {
        let plain = QueryValues(service: name)
        let base: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: name,
        ]
        #expect((plain.baseQuery() as NSDictionary).isEqual(to: base))
        #expect(!(plain.baseQuery(withKey: "a") as NSDictionary).isEqual(to: base))
        let every = base.merging(
            [
                kSecMatchLimit as String: kSecMatchLimitAll,
                kSecReturnAttributes as String: kCFBooleanTrue as Any,
            ]
        ) { $1 }
        #expect((plain.getAllQuery as NSDictionary).isEqual(to: every))
        #expect((every as NSDictionary).isEqual(to: plain.getAllQuery))
        let constrained = QueryValues(service: name, accessControlFlags: .userPresence)
            .setQuery(forKey: "a", data: Data())
        #expect(constrained[kSecAttrAccessControl as String] is SecAccessControl)
        #expect(constrained[kSecAttrAccessible as String] == nil)
        #expect((constrained as NSDictionary).isEqual(to: constrained))
    }

    @Test func `each query contains the entries of its base query`() {
        let values = QueryValues(service: name, accessGroup: "TEAM.app", synchronizable: true)
        let data = Data("x".utf8)
        let pairs: [(query: [String: Any], base: [String: Any])] = [
            (values.getAllQuery, values.baseQuery()),
            (values.getOneQuery(byKey: "a"), values.baseQuery(withKey: "a")),
            (values.setQuery(forKey: "a", data: data), values.baseQuery(withKey: "a", data: data)),
        ]
        for (query, base) in pairs {
            let part = query.filter { base.keys.contains($0.key) }
            #expect(NSDictionary(dictionary: part).isEqual(to: base))
            #expect(!NSDictionary(dictionary: query).isEqual(to: base))
        }
    }

    @Test func `a query contains the settings of its QueryValues`() {
        let context = LAContext()
        let values = QueryValues(
            service: name,
            accessGroup: "TEAM.app",
            accessibility: .whenUnlocked,
            context: context,
            synchronizable: true,
            attributes: [kSecAttrService as String: "replaced", "other": "kept"]
        )
        let query = values.setQuery(forKey: "a", data: Data())
        #expect(query[kSecClass as String] as? String == kSecClassGenericPassword as String)
        #expect(query[kSecAttrService as String] as? String == name)
        #expect(query["other"] as? String == "kept")
        #expect(query[kSecAttrAccount as String] as? String == "a")
        #expect(query[kSecValueData as String] as? Data == Data())
        #expect(query[kSecAttrAccessGroup as String] as? String == "TEAM.app")
        #expect(query[kSecAttrSynchronizable as String] as? Bool == true)
        #expect(query[kSecUseAuthenticationContext as String] as? LAContext == context)
        #expect(query[kSecAttrAccessible as String] as? String == kSecAttrAccessibleWhenUnlocked as String)
        #expect(values.getAllQuery[kSecReturnAttributes as String] as? Bool == true)
        #expect(values.getAllQuery[kSecMatchLimit as String] as? String == kSecMatchLimitAll as String)
        #expect(values.getOneQuery(byKey: "a")[kSecReturnData as String] as? Bool == true)
    }

    @Test func `a value of QueryValues stores, reads and deletes items with its queries`() throws {
        let values = QueryValues(service: name)
        #expect(try values.keys() == [])
        try values.set("first", forKey: "a")
        try values.set(secret, forKey: "a")
        #expect(try values.string(forKey: "a") == secret)
        #expect(try values.data(forKey: "a") == Data(secret.utf8))
        #expect(try values.hasItem(forKey: "a") && !values.hasItem(forKey: "b"))
        try values.set(Data([0xFF]), forKey: "b")
        #expect(throws: QueryFailure(code: .unknown(message: "not a string"))) {
            try values.string(forKey: "b")
        }
        #expect(try values.keys() == ["a", "b"])
        try values.deleteItem(forKey: "b")
        #expect(throws: QueryFailure.itemNotFound) { try values.deleteItem(forKey: "b") }
        try values.deleteAll()
        try values.deleteAll()
        #expect(throws: QueryFailure.itemNotFound) { try values.data(forKey: "a") }
    }

    @Test func `keychain functions can be replaced for tests`() throws {
        var values = QueryValues(service: name)
        values.retrieve = { _, result in
            result?.pointee = .some(NSDate())
            return errSecSuccess
        }
        #expect(throws: QueryFailure(code: .unknown(message: "not attributes"))) { try values.keys() }
        #expect(throws: QueryFailure(code: .unknown(message: "not data"))) { try values.data(forKey: "a") }
        var limit: String? = "unset"
        values.remove = { query in
            limit = (query as NSDictionary).value(forKey: kSecMatchLimit as String) as? String
            return errSecSuccess
        }
        try values.deleteAll()
        #expect(limit == nil)
    }
}

/// Types of the sample programs that can be tested without a keychain.
@Suite struct LibraryValueTests {
    @Test func `a constant can be the raw value of an enumeration`() {
        let rows: [(String, ValueAccessibility)] = [
            ("ak", .whenUnlocked), ("aku", .whenUnlockedThisDeviceOnly), ("ck", .afterFirstUnlock),
            ("cku", .afterFirstUnlockThisDeviceOnly), ("akpu", .whenPasscodeSetThisDeviceOnly),
        ]
        for (text, accessibility) in rows {
            #expect(ValueAccessibility(rawValue: text as CFString) == accessibility)
            #expect(accessibility.rawValue as String == text)
        }
    }

    @Test func `an unknown accessibility constant maps to the default case`() {
        #expect(ValueAccessibility(rawValue: "foo" as CFString) == .afterFirstUnlock)
    }

    @Test(
        arguments: [
            (-4, .operationNotImplemented), (-50, .invalidParameters), (-128, .userCanceled),
            (-25291, .itemNotAvailable), (-25293, .authFailed), (-25299, .duplicateItem),
            (-25300, .itemNotFound), (-25308, .interactionNotAllowed), (-26275, .decodeFailed),
        ] as [(OSStatus, QueryFailure)]
    )
    func `a status can be the raw value of an error code`(status: OSStatus, failure: QueryFailure) {
        #expect(QueryFailure.Code(rawValue: status) == failure.code)
        #expect(failure.status == status)
        let sentence = (failure as any Error).localizedDescription
        #expect(sentence == failure.debugDescription)
    }

    @Test func `errors are compared by code and message and matched by code`() {
        let failure = QueryFailure(code: .operationNotImplemented)
        #expect(failure == .operationNotImplemented && failure != .itemNotAvailable)
        #expect(QueryFailure(code: .unknown(message: "a")) != QueryFailure(code: .unknown(message: "b")))
        #expect(QueryFailure(code: .other(status: 1234)).status == 1234)
        #expect(QueryFailure.unknown.status == errSecSuccess)
        #expect(failure ~= QueryFailure.operationNotImplemented as any Error)
        #expect(!(failure ~= NSError(domain: "other", code: -4)))
        switch failure as any Error {
        case QueryFailure.itemNotFound: Issue.record("not found")
        case QueryFailure.operationNotImplemented: break
        default: Issue.record("no pattern")
        }
    }
}

extension Accessibility {
    /// All cases, listed here because the compiler does not synthesize `CaseIterable` for an enumeration with
    /// `@available` cases.
    static let every: [Accessibility] = [
        .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly, .always, .whenPasscodeSetThisDeviceOnly,
        .alwaysThisDeviceOnly, .whenUnlocked, .whenUnlockedThisDeviceOnly,
    ]
}
