// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainWrapperTestSupport
import Lockbox
import Testing

/// The deprecated class methods of Lockbox 2.
///
/// Calling them through a protocol gives no deprecation warning.
protocol LegacyLockboxClass {
    static func setString(_ value: String?, forKey key: String, accessibility: CFTypeRef) -> Bool
    static func setArray(_ value: [Any]?, forKey key: String, accessibility: CFTypeRef) -> Bool
    static func setSet(_ value: Set<AnyHashable>?, forKey key: String, accessibility: CFTypeRef) -> Bool
    static func setDictionary(
        _ value: [AnyHashable: Any]?,
        forKey key: String,
        accessibility: CFTypeRef
    ) -> Bool
    static func setDate(_ value: Date?, forKey key: String, accessibility: CFTypeRef) -> Bool
    static func string(forKey key: String) -> String?
    static func array(forKey key: String) -> [String]?
    static func set(forKey key: String) -> Set<String>?
    static func dictionary(forKey key: String) -> [String: String]?
    static func date(forKey key: String) -> Date?
}

extension Lockbox: LegacyLockboxClass {}

/// Class methods do the same as the methods of an instance with the program's key prefix.
@Suite(.temporaryKeychain) struct ClassTests {
    /// The class methods for one type of value, and the corresponding getter of an instance.
    struct Twin: Sendable {
        let name: String
        let text: String
        /// Sets a value; removes it if the Boolean is `false`.
        let set: @Sendable (any LegacyLockboxClass.Type, String, Bool, CFTypeRef) -> Bool
        let get: @Sendable (any LegacyLockboxClass.Type, String) -> AnyHashable?
        let instance: @Sendable (any LegacyLockbox, String) -> AnyHashable?
    }

    // swift-format-ignore
    static let twins = [
        Twin(name: "string", text: "a", set: { $0.setString($2 ? "a" : nil, forKey: $1, accessibility: $3) },
            get: { $0.string(forKey: $1) }, instance: { $0.string(forKey: $1) }),
        Twin(name: "array", text: "a-|-b", set: { $0.setArray($2 ? ["a", "b"] : nil, forKey: $1, accessibility: $3) },
            get: { $0.array(forKey: $1) }, instance: { $0.array(forKey: $1) }),
        Twin(name: "set", text: "a", set: { $0.setSet($2 ? ["a"] : nil, forKey: $1, accessibility: $3) },
            get: { $0.set(forKey: $1) }, instance: { $0.set(forKey: $1) }),
        Twin(name: "dictionary", text: "a-|-b", set: { $0.setDictionary($2 ? ["a": "b"] : nil, forKey: $1, accessibility: $3) },
            get: { $0.dictionary(forKey: $1) }, instance: { $0.dictionary(forKey: $1) }),
        Twin(name: "date", text: "5",
            set: { $0.setDate($2 ? Date(timeIntervalSinceReferenceDate: 5) : nil, forKey: $1, accessibility: $3) },
            get: { $0.date(forKey: $1) }, instance: { $0.date(forKey: $1) }),
    ]

    @Test(arguments: twins.indices) func `class methods behave like those of an instance`(index: Int) {
        let twin = Self.twins[index]
        let type: any LegacyLockboxClass.Type = Lockbox.self
        let key = String.unique
        let item = RawItem(service: Lockbox().keyPrefix + "." + key)
        #expect(twin.get(type, key) == nil)
        #expect(twin.set(type, key, true, kSecAttrAccessibleAfterFirstUnlock))
        #expect(item.data == [Data(twin.text.utf8)])
        #expect(item.find().first?["pdmn"] as? String == "ck")
        #expect(twin.get(type, key) != nil)
        #expect(twin.get(type, key) == twin.instance(Lockbox(), key))
        #expect(twin.set(type, key, false, kSecAttrAccessibleWhenUnlocked))
        #expect(item.data.isEmpty)
        #expect(!twin.set(type, key, false, kSecAttrAccessibleWhenUnlocked))
    }
}
