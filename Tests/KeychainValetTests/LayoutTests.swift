// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing
import Valet

/// The attributes of stored items, and reading items of other programs.
@Suite(.ownKeychain) struct LayoutTests {
    @Test(arguments: Kind.cases)
    func `a stored item has exactly the valet's attributes`(kind: Kind, accessibility: Accessibility) throws {
        let valet = try kind.valet(accessibility)
        defer { try? valet.removeAllObjects() }
        try valet.setString("canary value", forKey: "Skroob")
        let stored = try RawItem(service: kind.service(accessibility), account: "Skroob").stored()
        #expect(stored[kSecAttrAccount as String] as? String == "Skroob")
        #expect(stored[kSecValueData as String] as? Data == Data("canary value".utf8))
        #expect(stored[kSecAttrAccessible as String] as? String == accessibility.secAccessibilityAttribute)
        #expect((stored[kSecAttrSynchronizable as String] as? NSNumber)?.boolValue == kind.synchronizes)
        if !kind.group.isEmpty { #expect(stored[kSecAttrAccessGroup as String] as? String == kind.group) }
        for key in [kSecAttrLabel, kSecAttrComment, kSecAttrGeneric, kSecAttrDescription] {
            #expect(stored[key as String] == nil, "\(key)")
        }
    }

    @Test(arguments: Kind.cases)
    func `a valet reads, lists, updates and removes items of other programs`(
        kind: Kind,
        accessibility: Accessibility
    ) throws {
        let valet = try kind.valet(accessibility)
        defer { try? valet.removeAllObjects() }
        let item = RawItem(
            service: kind.service(accessibility),
            account: "Skroob",
            more: kind.attributes(accessibility)
        )
        try item.add()
        #expect(try valet.containsObject(forKey: "Skroob"))
        #expect(try valet.string(forKey: "Skroob") == "canary value")
        #expect(try valet.allKeys() == ["Skroob"])
        try valet.setString("canary other", forKey: "Skroob")
        #expect(try item.stored()[kSecValueData as String] as? Data == Data("canary other".utf8))
        try valet.removeObject(forKey: "Skroob")
        #expect(!item.exists)
    }

    @Test(arguments: Kind.cases)
    func `the canary is in the valet's service and not listed`(
        kind: Kind,
        accessibility: Accessibility
    ) throws {
        let valet = try kind.valet(accessibility)
        defer { try? valet.removeAllObjects() }
        #expect(valet.canAccessKeychain())
        let canary = RawItem(service: kind.service(accessibility), account: "VAL_KeychainCanaryUsername")
        let stored = try canary.stored()
        #expect(stored[kSecValueData as String] as? Data == Data("VAL_KeychainCanaryPassword".utf8))
        #expect(stored[kSecAttrAccessible as String] as? String == accessibility.secAccessibilityAttribute)
        #expect(try valet.allKeys().isEmpty)
        #expect(try valet.items().isEmpty)
        #expect(valet.canAccessKeychain())
        try valet.removeAllObjects()
        #expect(!canary.exists)
    }

    @Test(arguments: [nil, Data(), Data("VAL_KeychainCanaryUsername".utf8), Data([0xff])])
    func `a canary with another value is rewritten`(value: Data?) throws {
        let identifier = try Identifier.fresh()
        let valet = Valet.valet(withExplicitlySet: identifier, accessibility: .afterFirstUnlock)
        defer { try? valet.removeAllObjects() }
        let more = [kSecAttrAccessible as String: "ck"]
        let canary = RawItem(
            service: identifier.description,
            account: "VAL_KeychainCanaryUsername",
            value: value,
            more: more
        )
        try canary.add()
        #expect(valet.canAccessKeychain())
        #expect(
            try canary.stored()[kSecValueData as String] as? Data == Data("VAL_KeychainCanaryPassword".utf8)
        )
    }

    @Test func `items written by a subclass of Valet are read`() throws {
        let service = "VAL_MyValet_initWithIdentifier:accessibility:_canary-\(UUID())_AccessibleWhenUnlocked"
        try RawItem(service: service, more: [kSecAttrAccessible as String: "ak"]).add()
        let valet = Valet.valet(withExplicitlySet: try .named(service), accessibility: .whenUnlocked)
        defer { try? valet.removeAllObjects() }
        #expect(try valet.string(forKey: "canary account") == "canary value")
    }

    @Test func `an item without a value is not found`() throws {
        let identifier = try Identifier.fresh()
        let valet = Valet.valet(withExplicitlySet: identifier, accessibility: .whenUnlocked)
        defer { try? valet.removeAllObjects() }
        let item = RawItem(
            service: identifier.description,
            value: nil,
            more: [kSecAttrAccessible as String: "ak"]
        )
        try item.add()
        #expect(throws: KeychainError.itemNotFound) { try valet.object(forKey: "canary account") }
        #expect(try valet.containsObject(forKey: "canary account"))
    }

    @Test func `accounts stored as data are not listed`() throws {
        let identifier = try Identifier.fresh()
        let valet = Valet.valet(withExplicitlySet: identifier, accessibility: .whenUnlocked)
        defer { try? valet.removeAllObjects() }
        let more = [kSecAttrAccessible as String: "ak"]
        try RawItem(service: identifier.description, account: Data("bytes".utf8), more: more).add()
        try valet.setString("canary", forKey: "text")
        #expect(try valet.allKeys() == ["text"])
    }
}
