// SPDX-License-Identifier: Apache-2.0

import FXKeychain
import Foundation
import KeychainServices
import KeychainWrapperTestSupport
import Testing

/// The format of stored items, and reading items of other programs.
@Suite(.temporaryKeychain) struct LayoutTests {
    let service = String.unique
    var keychain: FXKeychain { FXKeychain(service: service, accessGroup: nil) }

    @Test func `a string is stored as UTF-8 with service and account`() throws {
        #expect(keychain.setObject("p\u{00E4}ss", forKey: "user"))
        let items = RawItem(service: service).find()
        let item = try #require(items.first)
        #expect(items.count == 1)
        #expect(item["acct"] as? String == "user")
        #expect(item["svce"] as? String == service)
        #expect(item["pdmn"] as? String == "ak")
        #expect(item["v_Data"] as? Data == Data("p\u{00E4}ss".utf8))
        #expect(item["labl"] == nil && item["gena"] == nil)
    }

    // swift-format-ignore
    nonisolated(unsafe) static let values: [Any] = [
        5, -1, 1.5, true, false, Data(), Data([1, 2]), Date(timeIntervalSinceReferenceDate: 1.25), [Any](), ["a", 1, ["b"]] as [Any],
        ["k": "v", "n": [1, 2], "d": Data([3])] as [String: Any], [String: Any](),
    ]

    @Test(arguments: values.indices) func `a property list is stored in binary format`(index: Int) throws {
        let value = Self.values[index]
        #expect(keychain.setObject(value, forKey: "k"))
        let data = try #require(RawItem(service: service, account: "k").data.first)
        #expect(data.starts(with: Data("bplist00".utf8)))
        let list = try PropertyListSerialization.propertyList(from: data, format: nil)
        #expect((list as? NSObject)?.isEqual(value) == true)
        #expect((keychain.object(forKey: "k") as? NSObject)?.isEqual(value) == true)
    }

    @Test(arguments: values.indices) func `a binary property list of another program is read`(
        index: Int
    ) throws {
        let value = Self.values[index]
        let data = try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
        #expect(RawItem(service: service, account: "k").add(data) == errSecSuccess)
        #expect((keychain.object(forKey: "k") as? NSObject)?.isEqual(value) == true)
    }

    @Test(arguments: [
        "", "text", "bplist", "bplistfoo", "bplist foo", "bplist=1;", "bplist00", "bplist01 and more",
        "<?xml version=\"1.0\"?><plist version=\"1.0\"><string>a</string></plist>", "{ a = b; }",
    ])
    func `strings are read in both formats`(text: String) throws {
        #expect(keychain.setObject(text, forKey: "k"))
        #expect(keychain["k"] as? String == text)
        #expect(RawItem(service: service, account: "utf8").add(Data(text.utf8)) == errSecSuccess)
        #expect(keychain["utf8"] as? String == text)
        let list = try PropertyListSerialization.data(fromPropertyList: text, format: .binary, options: 0)
        #expect(RawItem(service: service, account: "list").add(list) == errSecSuccess)
        #expect(keychain["list"] as? String == text)
    }

    @Test func `a password that happens to be a property list is read as a string`() throws {
        // The bytes of this binary property list are all ASCII, so they could also be a password.
        let bytes =
            Array("bplist00".utf8) + [0x51, 0x61, 0x08] + [0, 0, 0, 0, 0, 0, 1, 1]
            + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0A]
        let list = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
        #expect(list as? String == "a")
        let password = String(decoding: bytes, as: UTF8.self)
        #expect(keychain.setObject(password, forKey: "k"))
        #expect(keychain["k"] as? String == password)
        #expect(RawItem(service: service, account: "k").data.first != Data(bytes))
    }

    @Test func `an item without a value is an empty string`() throws {
        let item = RawItem(service: service, account: "k")
        #expect(SecItemAdd(item.attributes as CFDictionary, nil) == errSecSuccess)
        #expect(keychain["k"] as? String == "")
    }

    @Test func `items of FXKeychain 1_0 and 1_1 are read`() throws {
        let first = RawItem([
            kSecAttrService: "default", kSecAttrAccount: "default", kSecAttrGeneric: "key 1.0",
        ])
        let second = RawItem([
            kSecAttrService: service, kSecAttrAccount: "default", kSecAttrGeneric: Data("key 1.1".utf8),
        ])
        #expect(first.add(Data("old".utf8)) == errSecSuccess)
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: ["a"] as NSArray,
            requiringSecureCoding: false
        )
        #expect(second.add(archive) == errSecSuccess)
        #expect(keychain["key 1.0"] == nil)
        #expect(try keychain.earlierObject(forKey: "key 1.0") as? String == "old")
        #expect(throws: FXKeychainError.self) { try keychain.earlierObject(forKey: "key 1.1") }
        let options = FXKeychain.Options(acceptsKeyedArchives: true)
        let trusting = FXKeychain(
            service: service,
            accessGroup: nil,
            accessibility: .accessibleWhenUnlocked,
            options: options
        )
        #expect(try trusting.earlierObject(forKey: "key 1.1") as? [String] == ["a"])
        #expect(try trusting.earlierObject(forKey: "another") == nil)
    }

    @Test func `items of FXKeychain 1_2 are read, archives included`() throws {
        let keychain = keychain
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: [1: "a"] as NSDictionary,
            requiringSecureCoding: false
        )
        #expect(RawItem(service: service, account: "k").add(archive) == errSecSuccess)
        #expect(keychain["k"] == nil)
        #expect(keychain.lastStatus == errSecDecode)
        let trusting = FXKeychain(
            service: service,
            accessGroup: nil,
            accessibility: .accessibleWhenUnlocked,
            options: .init(acceptsKeyedArchives: true)
        )
        #expect((trusting["k"] as? NSDictionary)?.object(forKey: 1) as? String == "a")
    }
}
