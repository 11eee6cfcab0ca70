// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// Additional dictionary entries, and the status that each function returns for them.
struct MatrixRow: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let entries: @Sendable () -> Entries
    let add: OSStatus
    let copy: OSStatus
    let update: OSStatus
    let newValues: OSStatus
    let delete: OSStatus

    init(
        _ name: String,
        _ entries: @autoclosure @escaping @Sendable () -> Entries,
        _ add: OSStatus,
        _ copy: OSStatus,
        _ update: OSStatus,
        _ newValues: OSStatus,
        _ delete: OSStatus
    ) {
        testDescription = name
        self.entries = entries
        (self.add, self.copy, self.update, self.newValues, self.delete) = (
            add, copy, update, newValues, delete
        )
    }

    private static var explicitAccessControl: CFTypeRef {
        SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil) ?? NSNull()
    }

    // swift-format-ignore
    static let table: [Self] = [
        //   entries besides the class and the primary key                           add     copy    query   values  delete
        .init("nothing",                  [:],                                      0,      0,      0,      0,      0),
        .init("an unknown class",         ["class": "nope"],                        -25306, -25306, -25306, -25303, -25306),
        .init("the AppleShare class",     ["class": kSecClassAppleSharePassword],   -25306, -25306, -25306, -25303, -25306),
        .init("a number for a class",     ["class": 5],                             -50,    -50,    -50,    -25303, -50),
        .init("a foreign attribute",      ["srvr": "x"],                            -25303, -25303, -25303, -25303, -25303),
        .init("an unknown attribute",     ["zzzz": "x"],                            -25303, -25303, -25303, -25303, -25303),
        .init("four letters with m",      ["m_ab": "x"],                            -25303, -25303, -25303, -25303, -25303),
        .init("an old attribute",         [kSecAttrVolume: "x"],                    -25303, -25303, -25303, -25303, -25303),
        .init("four accented letters",    ["éééé": "x"],                            -25303, -25303, -25303, -25303, -25303),
        .init("the encrypted column",     ["data": Data()],                         -50,    -50,    -50,    -25303, -50),
        .init("a column that is no attribute", ["v_pk": "x"],                            -50,    -50,    -50,    -25303, -50),
        .init("the app clip attribute",   ["clip": 1],                              -50,    -50,    -50,    -50,    -50),
        .init("a private attribute",      ["pcss": 1],                              -34018, -34018, -34018, -34018, -34018),
        .init("a sharing group",          ["ggrp": "x"],                            -34018, -34018, -34018, -50,    -34018),
        .init("the persistref column",    [kSecAttrPersistentReference: "x"],       -50,    -50,    -50,    -25303, -50),
        .init("a salt",                   [kSecAttrSalt: Data([1])],                -25303, -25303, -25303, -25303, -25303),
        .init("rounds",                   [kSecAttrRounds: 1],                      -50,    -50,    -50,    -25303, -50),
        .init("a key of one letter",      ["m": "x"],                               -50,    -50,    -50,    -25303, -50),
        .init("an empty key",             ["": "x"],                                -50,    -50,    -50,    -25303, -50),
        .init("a key like class",         ["clazz": "genp"],                        -50,    -50,    -50,    -25303, -50),
        .init("a number for a key",       [5: "x"],                                 -25303, -25303, -25303, -50,    -25303),
        .init("data for a key",           [Data([1]): "x"],                         -50,    -50,    -50,    -50,    -50),
        .init("the user",                 [kSecAttrMultiUser: Data()],              0,      0,      0,      0,      0),
        .init("another user",             [kSecAttrMultiUser: Data(count: 16)],     0,      -25300, -25300, 0,      -25300),
        .init("no tombstone",             [kSecAttrTombstone: 0],                   0,      0,      0,      0,      0),
        .init("an ignored key",           ["foobar": "x"],                          0,      0,      0,      -25303, 0),
        .init("a URL, ignored",           ["foobar": URL(filePath: "/")],           -50,    -50,    -50,    -25303, -50),
        .init("a fraction, ignored",      ["foobar": 1.5],                          -26275, -26275, -26275, -26275, -26275),
        .init("the nleg key",             [kSecUseDataProtectionKeychain: true],    0,      0,      0,      0,      0),
        .init("an unknown match key",     ["m_Foo": "x"],                           -50,    0,      -50,    -25303, -50),
        .init("a match key for macOS",    [kSecMatchSubjectWholeString: "x"],       -50,    0,      -50,    -25303, -50),
        .init("an ignored match key",     [kSecMatchSubjectContains: "x"],          -50,    0,      -50,    -25303, -50),
        .init("the limit all",            [kSecMatchLimit: kSecMatchLimitAll],      -50,    0,      0,      -25303, 0),
        .init("the limit one",            [kSecMatchLimit: kSecMatchLimitOne],      -50,    0,      -50,    -25303, -50),
        .init("the limit 2",              [kSecMatchLimit: 2],                      -50,    0,      -50,    -25303, -50),
        .init("the limit 0",              [kSecMatchLimit: 0],                      -50,    -25300, -50,    -25303, -50),
        .init("the limit -1",             [kSecMatchLimit: -1],                     -50,    0,      -50,    -25303, -50),
        .init("an unknown limit",         [kSecMatchLimit: "m_LimitTwo"],           -50,    -50,    -50,    -25303, -50),
        .init("a Boolean limit",          [kSecMatchLimit: true],                   -50,    -50,    -50,    -25303, -50),
        .init("a negative limit",         [kSecMatchLimit: -2],                     -50,    -50,    -50,    -25303, -50),
        .init("null for a value",         [kSecAttrLabel: NSNull()],          -50,    -50,    -50,    -50,    -50),
        .init("a Boolean for a string",   [kSecAttrLabel: true],              -50,    -50,    -50,    -50,    -50),
        .init("an array for a string",    [kSecAttrLabel: ["x"]],             -50,    -50,    -50,    -50,    -50),
        .init("a fraction",               [kSecAttrLabel: 1.5],               -26275, -26275, -26275, -26275, -26275),
        .init("return key 1",             [kSecReturnData: 1],                      -50,    -50,    -50,    -25303, -50),
        .init("return key true",          [kSecReturnData: true],                   0,      0,      -50,    -25303, 0),
        .init("return key false",         [kSecReturnData: false],                  0,      0,      0,      -25303, 0),
        .init("an unknown return key",    ["r_Foo": true],                          -50,    -50,    -50,    -25303, -50),
        .init("a secret",                 [kSecValueData: Data("canary".utf8)],     0,      0,      0,      0,      0),
        .init("a string as value",        [kSecValueData: "canary"],                -50,    -50,    -50,    -50,    -50),
        .init("null for a secret",        [kSecValueData: NSNull()],                -50,    -50,    -50,    -50,    -50),
        .init("an unknown value key",     ["v_Foo": Data()],                        -50,    -50,    -50,    -25303, -50),
        .init("an unknown accessibility", [kSecAttrAccessible: "x"],                -50,    -50,    -50,    -50,    -50),
        .init("a string as access control", [kSecAttrAccessControl: "x"],             -50,    -50,    -50,    -50,    -50),
        .init("class and access control", [kSecAttrAccessible: "ak", kSecAttrAccessControl: explicitAccessControl],
                                                                                    -50,    -50,    -50,    -50,    -50),
        .init("an access control",        [kSecAttrAccessControl: explicitAccessControl], 0, 0,   0,      0,      0),
        .init("access control and sync",  [kSecAttrSynchronizable: true, kSecAttrAccessControl: explicitAccessControl],
                                                                                    -50,    -25300, -25300, -50,    -25300),
        .init("UISkip",                   [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip],
                                                                                    -50,    0,      -50,    -25303, -50),
        .init("UIFail",                   [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail],
                                                                                    0,      0,      0,      -25303, 0),
        .init("a number for the UI",      [kSecUseAuthenticationUI: 1],             -50,    -50,    -50,    -25303, -50),
        .init("a prompt",                 [kSecUseOperationPrompt: "x"],            0,      0,      0,      -25303, 0),
        .init("a file keychain",          [kSecUseKeychain: "x"],                   0,      0,      0,      -25303, 0),
        .init("an unknown use key",       ["u_Foo": true],                          -50,    -50,    -50,    -25303, -50),
        .init("a list of items",          [kSecUseItemList: [Data()]],              -50,    -50,    -50,    -25303, 0),
        .init("a context",                [kSecUseAuthenticationContext: NSObject()], 0,    0,      0,      -25303, 0),
        .init("context and credential",   [kSecUseAuthenticationContext: NSObject(), kSecUseCredentialReference: Data()],
                                                                                    -50,    -50,    -50,    -25303, -50),
        .init("data for tombstones",      [kSecUseTombstones: Data()],              -50,    -50,    -50,    -25303, -50),
        .init("an object as reference",   [kSecValueRef: NSObject()],               -50,    -50,    -50,    -50,    -50),
        .init("a legacy reference",       [kSecValuePersistentRef: Data(count: 12)], -50,   -50,    -50,    -25303, -50),
        .init("a string as reference",    [kSecValuePersistentRef: "genp"],         -50,    -50,    -50,    -25303, -50),
        .init("a token's reference",      [kSecValuePersistentRef: Data("tkpr".utf8) + Data(count: 16)],
                                                                                    -50,    -50,    -50,    -25303, -50),
        .init("another class's reference", [kSecValuePersistentRef: Data("inet".utf8) + Data(count: 16)],
                                                                                    -25306, -25306, -25306, -25303, -25306),
        .init("a foreign group",          [kSecAttrAccessGroup: "TEAM.other"],      -34018, -34018, -34018, -34018, -34018),
        .init("an empty group",           [kSecAttrAccessGroup: ""],                -34018, -34018, -34018, -34018, -34018),
        .init("a number for a group",     [kSecAttrAccessGroup: 1],                 -34018, -50,    -34018, -34018, -34018),
        .init("data for a group",         [kSecAttrAccessGroup: Data("TEAM.app".utf8)],
                                                                                    -34018, 0,      -34018, -34018, -34018),
        .init("an own group",             [kSecAttrAccessGroup: "TEAM.app"],        0,      0,      0,      0,      0),
    ]
}

@Suite(.searchedKeychain) struct ErrorMatrixTests {
    private let stored = StoredPassword()

    @Test(arguments: MatrixRow.table)
    func `each call returns the status in the matrix`(row: MatrixRow) {
        #expect(stored.add() == errSecSuccess)
        let query = stored.query.adding(row.entries()) as CFDictionary
        let other = StoredPassword()
        #expect(SecItemAdd(other.query.adding(row.entries()) as CFDictionary, nil) == row.add, "add")
        #expect(SecItemCopyMatching(query, nil) == row.copy, "copy")
        #expect(
            SecItemUpdate(query, [kSecAttrLabel: Canary.make("label")] as CFDictionary) == row.update,
            "query"
        )
        #expect(
            SecItemUpdate(stored.query as CFDictionary, row.entries() as CFDictionary) == row.newValues,
            "new values"
        )
        #expect(SecItemDelete(query) == row.delete, "delete")
    }

    @Test func `calls with an empty dictionary return errSecParam`() {
        let empty = [:] as CFDictionary
        #expect(SecItemAdd(empty, nil) == errSecParam)
        #expect(SecItemCopyMatching(empty, nil) == errSecParam)
        #expect(SecItemUpdate(empty, empty) == errSecParam)
        #expect(SecItemDelete(empty) == errSecParam)
    }

    @Test func `an update with an empty dictionary succeeds`() {
        #expect(stored.add() == errSecSuccess)
        #expect(SecItemUpdate(stored.query as CFDictionary, [:] as CFDictionary) == errSecSuccess)
    }

    @Test func `a query requires a class`() {
        var query = stored.query
        query[kSecClass as String] = nil
        #expect(SecItemAdd(query as CFDictionary, nil) == errSecParam)
        #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecParam)
        #expect(SecItemUpdate(query as CFDictionary, [:] as CFDictionary) == errSecParam)
        #expect(SecItemDelete(query as CFDictionary) == errSecParam)
    }

    @Test func `calls for a missing item return errSecItemNotFound`() {
        #expect(SecItemCopyMatching(stored.query as CFDictionary, nil) == errSecItemNotFound)
        #expect(SecItemUpdate(stored.query as CFDictionary, [:] as CFDictionary) == errSecItemNotFound)
        #expect(SecItemDelete(stored.query as CFDictionary) == errSecItemNotFound)
    }

    @Test func `adding a duplicate returns errSecDuplicateItem`() {
        let other = StoredPassword()
        #expect(stored.add() == errSecSuccess)
        #expect(stored.add() == errSecDuplicateItem)
        #expect(other.add() == errSecSuccess)
        let values = [kSecAttrAccount: other.account, kSecAttrService: other.service] as CFDictionary
        #expect(SecItemUpdate(stored.query as CFDictionary, values) == errSecDuplicateItem)
        #expect(find(stored.query).status == errSecSuccess)
    }

    @Test(arguments: [[], ["com.apple.token"]])
    func `a program without a writable group cannot add, update or delete`(groups: [String]) throws {
        try SearchedKeychain.withAccessGroups(groups) {
            #expect(stored.add() == errSecMissingEntitlement)
            #expect(
                SecItemUpdate(stored.query as CFDictionary, [:] as CFDictionary) == errSecMissingEntitlement
            )
            #expect(SecItemDelete(stored.query as CFDictionary) == errSecMissingEntitlement)
            let expected = groups.isEmpty ? errSecMissingEntitlement : errSecItemNotFound
            #expect(find(stored.query).status == expected)
        }
    }
}
