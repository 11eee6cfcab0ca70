// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// Malicious dictionaries: each call returns a status and does not crash.
@Suite(.searchedKeychain) struct HostileDictionaryTests {
    private let stored = StoredPassword()

    @Test func `a dictionary may have 128 keys and not more`() {
        #expect(stored.add() == errSecSuccess)
        var query = stored.query
        for number in query.count..<128 { query["m_key\(number)"] = number }
        #expect(find(query).status == errSecSuccess)
        query["m_more"] = 1
        #expect(find(query).status == errSecParam)
        var values: Entries = [:]
        for number in 0..<129 { values["f_\(number)"] = number }
        #expect(SecItemUpdate(stored.query as CFDictionary, values as CFDictionary) == errSecParam)
    }

    @Test func `an account of one megabyte is accepted`() {
        let long = Canary.make("account") + String(repeating: "ä", count: 1 << 19)
        let item = stored.query.adding([kSecAttrAccount as String: long])
        #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
        let found = find(item.adding([kSecReturnAttributes as String: true]))
        #expect((found.result as? [String: Any])?["acct"] as? String == long)
        #expect(SecItemAdd(item as CFDictionary, nil) == errSecDuplicateItem)
    }

    @Test(arguments: ["m", "r_", "u_", "v_", "c", "x", "f"])
    func `a key of one megabyte is handled like any unknown key`(prefix: String) {
        #expect(stored.add() == errSecSuccess)
        let key = prefix + String(repeating: "y", count: 1 << 20)
        let ignored = prefix == "m" || prefix == "f"
        #expect(find(stored.query.adding([key: "x"])).status == (ignored ? errSecSuccess : errSecParam))
    }

    @Test func `an unpaired surrogate is replaced by Foundation and the item stays findable`() {
        func name(endingIn half: UInt16) -> NSString {
            let units: [UInt16] = Array("canary".utf16) + [half]
            return NSString(characters: units, length: units.count)
        }
        #expect(name(endingIn: 0xD800).character(at: 6) == 0xFFFD)
        let item = stored.query.adding([kSecAttrAccount as String: name(endingIn: 0xD800)])
        #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
        #expect(find(item).status == errSecSuccess)
        let other = stored.query.adding([kSecAttrAccount as String: name(endingIn: 0xDC01)])
        #expect(SecItemAdd(other as CFDictionary, nil) == errSecDuplicateItem)
        let replaced = find(item.adding([kSecReturnAttributes as String: true])).result as? [String: Any]
        #expect(replaced?["acct"] as? String == "canary\u{FFFD}")
    }

    @Test func `values nested a thousand levels deep are rejected`() {
        var nested: Any = "x"
        for _ in 0..<1000 { nested = [nested] }
        #expect(find(stored.query.adding(["acct": nested])).status == errSecParam)
        #expect(find(stored.query.adding(["v_Data": nested])).status == errSecParam)
        #expect(find(stored.query.adding(["class": nested])).status == errSecParam)
        #expect(find(stored.query.adding(["r_Data": nested])).status == errSecParam)
    }

    /// Dictionary keys, and the status of a search if their value contains itself or is nested deeply.
    ///
    /// `m_Issuers` is ignored if its value contains no name.
    static let nestedValueKeys: [(key: String, status: OSStatus)] = [
        ("m_Foo", errSecParam), ("foobar", errSecParam), ("acct", errSecParam), ("v_Data", errSecParam),
        ("class", errSecParam), ("r_Data", errSecParam), ("u_AuthUI", errSecParam),
        ("m_Issuers", errSecSuccess), ("m_Policy", errSecParam),
    ]

    @Test(arguments: nestedValueKeys)
    func `a value that contains itself is rejected or ignored`(key: String, status: OSStatus) {
        #expect(stored.add() == errSecSuccess)
        let array = NSMutableArray()
        let dictionary = NSMutableDictionary()
        defer {
            array.removeAllObjects()
            dictionary.removeAllObjects()
        }
        array.add(array)
        dictionary.setObject(array, forKey: "array" as NSString)
        dictionary.setObject(dictionary, forKey: "dictionary" as NSString)
        #expect(find(stored.query.adding([key: array])).status == status)
        #expect(find(stored.query.adding([key: dictionary])).status == status)
    }

    @Test(arguments: nestedValueKeys)
    func `a value nested 100,000 levels deep is rejected or ignored`(key: String, status: OSStatus) throws {
        #expect(stored.add() == errSecSuccess)
        // Releases the nested arrays one by one: releasing the outermost one would recurse 100,000 levels deep.
        var levels = [NSMutableArray()]
        defer { while let level = levels.popLast() { level.removeAllObjects() } }
        for _ in 0..<100_000 {
            let level = NSMutableArray()
            level.add(try #require(levels.last))
            levels.append(level)
        }
        #expect(find(stored.query.adding([key: try #require(levels.last)])).status == status)
    }

    @Test func `64 nested arrays that each contain the next one twice are rejected`() {
        #expect(stored.add() == errSecSuccess)
        var nest = NSMutableArray()
        for _ in 0..<64 {
            let outer = NSMutableArray()
            for _ in 0..<2 { outer.add(nest) }
            nest = outer
        }
        #expect(find(stored.query.adding(["m_Foo": nest])).status == errSecParam)
    }

    @Test func `an ignored value may have ten thousand members`() {
        #expect(stored.add() == errSecSuccess)
        let members = Array(repeating: "x", count: 10_000)
        #expect(find(stored.query.adding(["m_Foo": members])).status == errSecSuccess)
        #expect(find(stored.query.adding(["m_Foo": members + ["x"]])).status == errSecParam)
    }

    @Test func `an ignored key accepts collections but no other objects`() {
        #expect(stored.add() == errSecSuccess)
        #expect(find(stored.query.adding(["m_Foo": ["x", ["y": 1]]])).status == errSecSuccess)
        #expect(find(stored.query.adding(["m_Foo": ["x", ["y": NSObject()]]])).status == errSecParam)
        #expect(find(stored.query.adding(["m_Foo": [[URL(filePath: "/")]]])).status == errSecParam)
        #expect(find(stored.query.adding(["m_Foo": [0.5]])).status == errSecDecode)
        #expect(find(stored.query.adding(["m_Foo": UUID()])).status == errSecParam)
    }

    @Test func `every attribute rejects objects of unsupported classes`() {
        let item = stored.query
        for constant in ConstantTables.attributes {
            let status = find(item.adding([constant.value: NSObject()])).status
            #expect(
                [errSecParam, errSecNoSuchAttr, errSecMissingEntitlement].contains(status),
                "\(constant.symbol)"
            )
        }
    }

    @Test func `every type of value for every key returns a status`() {
        let values: [Any] = [
            "x", "", Data(), Data(count: 20), 0, 1, -1, 1.5, true, Date(), NSNull(), [Any](), [String: Any](),
            UUID(), URL(filePath: "/"), NSObject(), Int64.max, UInt64.max,
        ]
        let names =
            ConstantTables.attributes.map(\.value) + ConstantTables.others.map(\.value)
            + ["", "é", "m_", "r_Foo", "\0\0\0\0"]
        let known = Set(ConstantTables.statuses.map(\.status))
        for name in names {
            for value in values {
                let query = stored.query.adding([name: value])
                #expect(known.contains(find(query).status))
                #expect(known.contains(SecItemDelete(query as CFDictionary)))
                #expect(
                    known.contains(SecItemUpdate(stored.query as CFDictionary, [name: value] as CFDictionary))
                )
            }
        }
    }

    @Test func `a subclass of NSDictionary is accepted`() {
        #expect(stored.add() == errSecSuccess)
        #expect(SecItemCopyMatching(LazyDictionary(stored.query as NSDictionary), nil) == errSecSuccess)
    }
}

/// An `NSDictionary` subclass that reads its entries from another dictionary.
private final class LazyDictionary: NSDictionary {
    private let contents: NSDictionary

    init(_ contents: NSDictionary) {
        self.contents = contents
        super.init(objects: nil, forKeys: nil, count: 0)
    }

    required convenience init(dictionaryLiteral elements: (Any, Any)...) {
        self.init(NSDictionary())
    }

    required convenience init?(coder: NSCoder) { nil }

    required convenience init(
        objects: UnsafePointer<AnyObject>!,
        forKeys keys: UnsafePointer<NSObject>!,
        count: Int
    ) {
        self.init(NSDictionary(objects: objects, forKeys: keys, count: count))
    }

    override var count: Int { contents.count }

    override func object(forKey key: Any) -> Any? { contents.object(forKey: key) }

    override func keyEnumerator() -> NSEnumerator { contents.keyEnumerator() }
}
