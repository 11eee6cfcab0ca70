// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainServices
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct AccessControlTests {
    private let stored = StoredPassword()

    struct FlagRow: Sendable {
        let flags: SecAccessControlCreateFlags
        let isAllowed: Bool

        // swift-format-ignore
        static let table: [Self] = [
            .init(flags: [],                                            isAllowed: true),
            .init(flags: .userPresence,                                 isAllowed: true),
            .init(flags: [.userPresence, .applicationPassword],         isAllowed: true),
            .init(flags: [.userPresence, .privateKeyUsage],             isAllowed: true),
            .init(flags: [.userPresence, .devicePasscode],              isAllowed: false),
            .init(flags: [.userPresence, .or],                          isAllowed: false),
            .init(flags: [.userPresence, .and],                         isAllowed: false),
            .init(flags: [.userPresence, .biometryAny],                 isAllowed: false),
            .init(flags: [.or, .and],                                   isAllowed: false),
            .init(flags: [.or, .biometryAny, .devicePasscode],          isAllowed: true),
            .init(flags: [.and, .touchIDCurrentSet, .devicePasscode],   isAllowed: true),
            .init(flags: [.biometryAny, .biometryCurrentSet],           isAllowed: false),
            .init(flags: [.touchIDAny, .biometryCurrentSet],            isAllowed: false),
            .init(flags: [.watch, .companion, .privateKeyUsage],        isAllowed: true),
            .init(flags: .applicationPassword,                          isAllowed: true),
        ]
    }

    @Test(arguments: FlagRow.table)
    func `flags that exclude each other return nil with errSecParam`(row: FlagRow) {
        var error: Unmanaged<CFError>?
        let made = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, row.flags, &error)
        #expect((made != nil) == row.isAllowed)
        #expect((error == nil) == row.isAllowed)
        let failure = error?.takeRetainedValue()
        #expect(failure?.code == (row.isAllowed ? nil : -50))
        #expect(failure?.domain == (row.isAllowed ? nil : NSOSStatusErrorDomain))
    }

    @Test(arguments: ProtectionRule.table)
    func `an access control can be created for each protection class`(rule: ProtectionRule) {
        #expect(SecAccessControlCreateWithFlags(nil, rule.name as CFTypeRef, [], nil) != nil)
    }

    @Test func `an unknown protection class returns nil with errSecParam`() {
        for protection in ["x" as NSString, NSNumber(value: 1), NSNull(), "f" as NSString] as [AnyObject] {
            #expect(SecAccessControlCreateWithFlags(nil, protection, [], nil) == nil)
        }
    }

    @Test func `access controls with the same protection class and flags are equal`() {
        func make(_ flags: SecAccessControlCreateFlags) -> SecAccessControl? {
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAlways, flags, nil)
        }
        #expect(make([]) == make([]))
        #expect(make([])?.hash == make([])?.hash)
        #expect(make(.devicePasscode) == make(.devicePasscode))
        #expect(make([]) != make(.devicePasscode))
        #expect(make([]) != SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil))
    }

    @Test func `flags have Apple's raw values`() {
        let bits: [(SecAccessControlCreateFlags, Int)] = [
            (.userPresence, 0), (.biometryAny, 1), (.touchIDAny, 1), (.biometryCurrentSet, 3),
            (.touchIDCurrentSet, 3), (.devicePasscode, 4), (.watch, 5), (.companion, 5), (.or, 14),
            (.and, 15),
            (.privateKeyUsage, 30), (.applicationPassword, 31),
        ]
        for (flag, bit) in bits { #expect(flag.rawValue == 1 << bit) }
    }

    @Test func `an access control without flags sets the item's protection class and is returned`() throws {
        let access = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAfterFirstUnlock, [], nil)
        let added = add(
            stored.query.adding([
                kSecAttrAccessControl as String: access as Any, kSecReturnAttributes as String: true,
            ])
        )
        let attributes = try #require(added.result as? [String: Any])
        #expect(attributes["pdmn"] as? String == "ck")
        #expect(attributes["accc"] as? SecAccessControl == access)
    }

    @Test func `a returned access control can be stored again`() throws {
        #expect(stored.add([kSecAttrAccessible as String: kSecAttrAccessibleAlways]) == errSecSuccess)
        let found = find(stored.query.adding([kSecReturnAttributes as String: true])).result
        let access = try #require((found as? [String: Any])?["accc"] as? SecAccessControl)
        let other = StoredPassword()
        #expect(other.add([kSecAttrAccessControl as String: access]) == errSecSuccess)
        #expect(find(other.query.adding([kSecAttrAccessible as String: "dk"])).status == errSecSuccess)
        let both: Entries = [kSecAttrAccessControl as String: access, kSecAttrAccessible as String: "ck"]
        #expect(find(stored.query.adding(both)).status == errSecParam)
        let values = [kSecAttrAccessControl: access] as CFDictionary
        #expect(SecItemUpdate(other.query as CFDictionary, values) == errSecSuccess)
    }

    @Test func `updating the access control sets the item's protection class`() throws {
        #expect(stored.add([kSecAttrAccessible as String: kSecAttrAccessibleAlways]) == errSecSuccess)
        let access = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleAfterFirstUnlock, [], nil)
        let values: Entries = [kSecAttrAccessControl as String: access as Any]
        #expect(SecItemUpdate(stored.query as CFDictionary, values as CFDictionary) == errSecSuccess)
        let query = stored.query.adding([kSecReturnAttributes as String: true])
        let attributes = try #require(find(query).result as? [String: Any])
        #expect(attributes["pdmn"] as? String == "ck")
        #expect((attributes["accc"] as? SecAccessControl)?.constraints == [])
    }

    @Test func `an access control excludes kSecAttrSynchronizable true, but not the number 1`() {
        let access = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil) as Any
        let entries: Entries = [kSecAttrAccessControl as String: access]
        #expect(stored.add(entries.adding([kSecAttrSynchronizable as String: true])) == errSecParam)
        #expect(stored.add(entries.adding([kSecAttrSynchronizable as String: 1])) == errSecSuccess)
    }
}
