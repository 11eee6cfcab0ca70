// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainWrapperTestSupport
import Lockbox
import Testing

/// The deprecated methods of Lockbox 2.
///
/// Calling them through a protocol gives no deprecation warning.
protocol LegacyLockbox {
    func setString(_ value: String?, forKey key: String, accessibility: CFTypeRef) -> Bool
    func setArray(_ value: [Any]?, forKey key: String, accessibility: CFTypeRef) -> Bool
    func setSet(_ value: Set<AnyHashable>?, forKey key: String, accessibility: CFTypeRef) -> Bool
    func setDictionary(_ value: [AnyHashable: Any]?, forKey key: String, accessibility: CFTypeRef) -> Bool
    func setDate(_ value: Date?, forKey key: String, accessibility: CFTypeRef) -> Bool
    func string(forKey key: String) -> String?
    func array(forKey key: String) -> [String]?
    func set(forKey key: String) -> Set<String>?
    func dictionary(forKey key: String) -> [String: String]?
    func date(forKey key: String) -> Date?
}

extension Lockbox: LegacyLockbox {}

/// Values stored as strings, the format of Lockbox 1 and 2.
@Suite(.temporaryKeychain) struct LegacyTests {
    let prefix = String.unique
    let lockbox: any LegacyLockbox
    let current: Lockbox
    let unlocked: CFTypeRef = kSecAttrAccessibleWhenUnlocked

    init() {
        current = Lockbox(keyPrefix: prefix)
        lockbox = current
    }

    private func text(_ key: String) -> String? {
        RawItem(service: prefix + "." + key).data.first.map { String(decoding: $0, as: UTF8.self) }
    }

    private func put(_ text: String, _ key: String) {
        #expect(RawItem(service: prefix + "." + key).add(Data(text.utf8)) == errSecSuccess)
    }

    @Test(arguments: ["", "text", "p\u{00E4}ss", "a-|-b"]) func `a string is stored as UTF-8`(string: String)
    {
        #expect(lockbox.setString(string, forKey: "k", accessibility: unlocked))
        #expect(text("k") == string)
        #expect(lockbox.string(forKey: "k") == string)
        put(string, "raw")
        #expect(lockbox.string(forKey: "raw") == string)
    }

    @Test(arguments: [["a"], ["a", "b"], [""], ["", ""], ["a", "", "b"]])
    func `an array is its elements joined by the separator`(array: [String]) {
        #expect(lockbox.setArray(array, forKey: "k", accessibility: unlocked))
        #expect(text("k") == array.joined(separator: "-|-"))
        #expect(lockbox.array(forKey: "k") == array)
    }

    @Test func `an element containing the separator is split, and other objects become descriptions`() {
        let elements: [Any] = ["a-|-b", 5, true, 5.0, 0.5, Float(0.1), Data([0xAB, 1])]
        #expect(lockbox.setArray(elements, forKey: "k", accessibility: unlocked))
        #expect(lockbox.array(forKey: "k") == ["a", "b", "5", "1", "5", "0.5", "0.1", "<ab01>"])
    }

    @Test func `a set is stored like an array in any order`() {
        #expect(lockbox.setSet(["a", "b", 3] as Set<AnyHashable>, forKey: "k", accessibility: unlocked))
        #expect(lockbox.set(forKey: "k") == ["a", "b", "3"])
        #expect(Set(lockbox.array(forKey: "k") ?? []) == ["a", "b", "3"])
    }

    @Test func `a dictionary is all keys, followed by all values`() {
        #expect(lockbox.setDictionary(["a": 1], forKey: "k", accessibility: unlocked))
        #expect(text("k") == "a-|-1")
        #expect(lockbox.setDictionary(["a": "x", "b": "y"], forKey: "k", accessibility: unlocked))
        #expect(lockbox.dictionary(forKey: "k") == ["a": "x", "b": "y"])
        #expect(["a-|-b-|-x-|-y", "b-|-a-|-y-|-x"].contains(text("k")))
        put("a-|-b-|-c", "odd")
        #expect(lockbox.dictionary(forKey: "odd") == nil)
        put("a-|-a-|-x-|-y", "twice")
        #expect(lockbox.dictionary(forKey: "twice") == ["a": "x"])
    }

    // swift-format-ignore
    static let dates: [(seconds: Double, text: String)] = [
        (0, "0"), (5, "5"), (-5, "-5"), (1.5, "1.5"), (700_000_000, "700000000"), (402_531_830.123456, "402531830.123456"),
        (0.1, "0.1"), (1e-7, "1e-07"), (1e17, "1e+17"),
    ]

    @Test(arguments: dates) func `a date is the shortest decimal string of its seconds`(
        seconds: Double,
        text: String
    ) {
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        #expect(lockbox.setDate(date, forKey: "k", accessibility: unlocked))
        #expect(self.text("k") == text)
        #expect(lockbox.date(forKey: "k") == date)
    }

    @Test func `every date is read back exactly`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<50 {
            let date = Date(timeIntervalSinceReferenceDate: .random(in: -1e9...1e9, using: &generator))
            #expect(lockbox.setDate(date, forKey: "k", accessibility: unlocked))
            #expect(lockbox.date(forKey: "k") == date)
        }
    }

    @Test(
        arguments: [
            ("5.0", 5), (" \t\n7", 7), ("+8", 8), ("3.", 3), (".5", 0.5), ("12abc", 12), ("1.5.7", 1.5),
            ("2e3x", 2000),
            ("4e", 4), ("", 0), ("abc", 0), ("-", 0), ("402531830.1234561", 402_531_830.1234561),
        ] as [(String, Double)]
    )
    func `a date is read from the number at the start of a string`(text: String, seconds: Double) {
        put(text, "k")
        #expect(lockbox.date(forKey: "k") == Date(timeIntervalSinceReferenceDate: seconds))
    }

    @Test func `an infinite date is not stored, and a number out of range is not read`() {
        #expect(
            lockbox.setDate(Date(timeIntervalSinceReferenceDate: 1), forKey: "k", accessibility: unlocked)
        )
        let never = Date(timeIntervalSinceReferenceDate: .infinity)
        #expect(!lockbox.setDate(never, forKey: "k", accessibility: unlocked))
        #expect(current.lastStatus == errSecParam)
        #expect(text("k") == "1")
        put("1e999", "huge")
        #expect(lockbox.date(forKey: "huge") == nil)
    }

    private var removals: [(String) -> Bool] {
        let lockbox = lockbox
        let unlocked = unlocked
        return [
            { lockbox.setString(nil, forKey: $0, accessibility: unlocked) },
            { lockbox.setArray(nil, forKey: $0, accessibility: unlocked) },
            { lockbox.setArray([], forKey: $0, accessibility: unlocked) },
            { lockbox.setSet(nil, forKey: $0, accessibility: unlocked) },
            { lockbox.setSet([], forKey: $0, accessibility: unlocked) },
            { lockbox.setDictionary(nil, forKey: $0, accessibility: unlocked) },
            { lockbox.setDictionary([:], forKey: $0, accessibility: unlocked) },
            { lockbox.setDate(nil, forKey: $0, accessibility: unlocked) },
        ]
    }

    @Test(arguments: 0..<8) func `nil and empty values remove the item and return whether it existed`(
        index: Int
    ) {
        put("text", "k")
        #expect(removals[index]("k"))
        #expect(text("k") == nil)
        #expect(!removals[index]("k"))
        #expect(current.lastStatus == errSecItemNotFound)
    }

    @Test func `a missing value and invalid UTF-8 are nil`() {
        #expect(RawItem(service: prefix + ".bytes").add(Data([0xFF, 0xFE])) == errSecSuccess)
        for key in ["missing", "bytes"] {
            #expect(lockbox.string(forKey: key) == nil)
            #expect(lockbox.array(forKey: key) == nil)
            #expect(lockbox.set(forKey: key) == nil)
            #expect(lockbox.dictionary(forKey: key) == nil)
            #expect(lockbox.date(forKey: key) == nil)
        }
        #expect(current.lastStatus == errSecDecode)
    }

    @Test func `an empty collection written before 1_4_7 is one empty string`() {
        put("", "k")
        #expect(lockbox.array(forKey: "k") == [""])
        #expect(lockbox.set(forKey: "k") == [""])
        #expect(lockbox.dictionary(forKey: "k") == nil)
    }

    @Test func `before 1_0_2 the key was stored as service`() {
        let key = String.unique
        #expect(RawItem(service: key).add(Data("old".utf8)) == errSecSuccess)
        let lockbox: any LegacyLockbox = Lockbox.withoutPrefix()
        #expect(lockbox.string(forKey: key) == "old")
    }

    @Test func `strings and archives are not read as each other`() {
        put("text", "k")
        #expect(current.unarchiveObject(forKey: "k") == nil)
        #expect(current.archiveObject("\u{00E9}", forKey: "archive"))
        #expect(lockbox.date(forKey: "archive") == nil)
    }

    @Test func `strings are upgraded to archives with their protection class`() throws {
        let after: CFTypeRef = kSecAttrAccessibleAfterFirstUnlock
        #expect(lockbox.setString("a", forKey: "string", accessibility: after))
        #expect(lockbox.setArray(["a", "b"], forKey: "array", accessibility: after))
        #expect(lockbox.setSet(["a", "b"], forKey: "set", accessibility: after))
        #expect(lockbox.setDictionary(["a": "b"], forKey: "dictionary", accessibility: after))
        #expect(
            lockbox.setDate(Date(timeIntervalSinceReferenceDate: 1.5), forKey: "date", accessibility: after)
        )
        let kinds: [String: Lockbox.LegacyKind] = [
            "string": .string, "array": .array, "set": .set, "dictionary": .dictionary, "date": .date,
            "missing": .date,
        ]
        #expect(try current.upgradeToArchive(kinds) == Set(kinds.keys).subtracting(["missing"]))
        #expect(current.unarchiveObject(forKey: "string") as? String == "a")
        #expect(current.unarchiveObject(forKey: "array") as? [String] == ["a", "b"])
        #expect(current.unarchiveObject(forKey: "set") as? Set<String> == ["a", "b"])
        #expect(current.unarchiveObject(forKey: "dictionary") as? [String: String] == ["a": "b"])
        #expect(current.unarchiveObject(forKey: "date") as? Date == Date(timeIntervalSinceReferenceDate: 1.5))
        #expect(RawItem(service: prefix + ".date").find().first?["pdmn"] as? String == "ck")
        // Everything is upgraded already, so a second upgrade changes nothing.
        #expect(try current.upgradeToArchive(kinds) == [])
    }

    @Test func `a string keeps its byte order mark, also when archived`() throws {
        let text = "\u{FEFF}a"
        #expect(lockbox.setString(text, forKey: "k", accessibility: unlocked))
        #expect(lockbox.string(forKey: "k").map { Data($0.utf8) } == Data(text.utf8))
        #expect(try current.upgradeToArchive(["k": .string]) == ["k"])
        let archived = current.unarchiveObject(forKey: "k") as? String
        #expect(archived.map { Data($0.utf8) } == Data(text.utf8))
    }

    static let otherKinds: [(kind: Lockbox.LegacyKind, text: String)] = [
        (.dictionary, "a-|-b-|-c"), (.dictionary, "a-|-a-|-x-|-y"), (.dictionary, "text"), (.date, "text"),
        (.date, "12abc"), (.date, ""), (.date, " 7"), (.date, "1e999"), (.date, "nan"), (.date, "0x10"),
        (.set, "caf\u{E9}-|-cafe\u{301}"),
    ]

    @Test(arguments: otherKinds) func `no string is archived if one of them has the wrong type`(
        kind: Lockbox.LegacyKind,
        text: String
    ) {
        put("a", "string")
        put(text, "other")
        #expect {
            try current.upgradeToArchive(["string": .string, "other": kind])
        } throws: {
            ($0 as? LockboxError)?.reason == .undecodableValue
        }
        #expect(self.text("string") == "a")
        #expect(self.text("other") == text)
    }
}
