// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainWrapperTestSupport
import Lockbox
import Testing

/// Values stored as keyed archives, the format of Lockbox 3.
@Suite(.temporaryKeychain) struct ArchiveTests {
    let prefix = String.unique
    var lockbox: Lockbox { Lockbox(keyPrefix: prefix) }

    static func archive(_ value: Any?, _ key: String) -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: false)
        archiver.encode(value, forKey: key)
        archiver.finishEncoding()
        return archiver.encodedData
    }

    // swift-format-ignore
    nonisolated(unsafe) static let values: [Any] = [
        "", "text", 5, -1.5, true, Data([1]), Date(timeIntervalSinceReferenceDate: 1.5), UUID(), URL(filePath: "/a"), NSNull(),
        ["a", 2] as [Any], ["k": ["v"]], Set(["a"]), NSMutableArray(array: ["m"]),
    ]

    @Test(arguments: values.indices) func `a value is archived under the caller's key`(index: Int) throws {
        let value = Self.values[index]
        #expect(lockbox.archiveObject(value, forKey: "key"))
        let items = RawItem(service: prefix + ".key").find()
        let item = try #require(items.first)
        #expect(items.count == 1)
        #expect(item["acct"] as? String ?? "" == "")
        #expect(item["pdmn"] as? String == "ak")
        #expect(item["gena"] == nil && item["labl"] == nil)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: try #require(item["v_Data"] as? Data))
        unarchiver.requiresSecureCoding = false
        #expect((unarchiver.decodeObject(forKey: "key") as? NSObject)?.isEqual(value) == true)
        #expect((lockbox.unarchiveObject(forKey: "key") as? NSObject)?.isEqual(value) == true)
    }

    @Test(arguments: values.indices) func `an archive of the original is read`(index: Int) throws {
        let value = Self.values[index]
        #expect(RawItem(service: prefix + ".$key").add(Self.archive(value, "$key")) == errSecSuccess)
        #expect((lockbox.unarchiveObject(forKey: "$key") as? NSObject)?.isEqual(value) == true)
    }

    @Test func `nil is archived, and the item stays`() {
        let lockbox = lockbox
        #expect(lockbox.archiveObject("a", forKey: "k"))
        #expect(lockbox.archiveObject(nil, forKey: "k"))
        #expect(lockbox.unarchiveObject(forKey: "k") == nil)
        #expect(lockbox.lastStatus == errSecSuccess)
        #expect(RawItem(service: prefix + ".k").find().count == 1)
    }

    @Test func `removing a missing value returns false`() {
        let lockbox = lockbox
        #expect(!lockbox.removeObject(forKey: "k"))
        #expect(lockbox.lastStatus == errSecItemNotFound)
        #expect(lockbox.archiveObject("a", forKey: "k"))
        #expect(lockbox.removeObject(forKey: "k"))
        #expect(lockbox.unarchiveObject(forKey: "k") == nil)
        #expect(lockbox.lastStatus == errSecItemNotFound)
    }

    @Test(arguments: ["ak", "ck", "dk", "aku", "cku", "dku"])
    func `rewriting an item changes its protection class`(name: String) throws {
        #expect(lockbox.archiveObject("a", forKey: "k", accessibility: kSecAttrAccessibleAfterFirstUnlock))
        let made = try #require(RawItem(service: prefix + ".k").find().first?["cdat"] as? Date)
        #expect(lockbox.archiveObject("b", forKey: "k", accessibility: name as NSString))
        let item = try #require(RawItem(service: prefix + ".k").find().first)
        #expect(item["pdmn"] as? String == name)
        #expect(item["cdat"] as? Date == made)
        #expect(lockbox.unarchiveObject(forKey: "k") as? String == "b")
    }

    @Test func `a custom class is read if it is allowed`() throws {
        let lockbox = lockbox
        #expect(lockbox.archiveObject([Token("a")], forKey: "k"))
        #expect(lockbox.unarchiveObject(forKey: "k") == nil)
        #expect(lockbox.lastStatus == errSecDecode)
        let tokens = try lockbox.unarchivedObject(forKey: "k", ofClasses: [Token.self]) as? [Token]
        #expect(tokens?.first?.text == "a")
    }

    final class Plain: NSObject {}

    @Test func `an unsupported value is rejected and keeps the old one`() {
        let lockbox = lockbox
        #expect(lockbox.archiveObject("old", forKey: "k"))
        #expect(!lockbox.archiveObject(Plain(), forKey: "k"))
        #expect(!lockbox.archiveObject([Plain()], forKey: "k"))
        #expect(lockbox.lastStatus == errSecParam)
        #expect(lockbox.unarchiveObject(forKey: "k") as? String == "old")
    }

    @Test func `a Codable value is archived JSON data, as in Strongbox`() throws {
        let lockbox = lockbox
        try lockbox.archive(["a": [1]], forKey: "k")
        #expect(try lockbox.unarchive([String: [Int]].self, forKey: "k") == ["a": [1]])
        #expect(lockbox.unarchiveObject(forKey: "k") as? Data == Data(#"{"a":[1]}"#.utf8))
        #expect(try lockbox.unarchive(Int.self, forKey: "missing") == nil)
        #expect(lockbox.lastStatus == errSecItemNotFound)
        #expect(throws: LockboxError.self) { try lockbox.unarchive(Int.self, forKey: "k") }
        #expect(throws: LockboxError.self) { try lockbox.archive(Double.nan, forKey: "k") }
    }

    static let wrong: [Data] = [
        Data(), Data("text".utf8), Data([0xFF]), Data("bplist00".utf8), archive("a", "another key"),
    ]

    @Test(arguments: wrong) func `malformed archives and archives of other keys are nil`(data: Data) {
        #expect(RawItem(service: prefix + ".k").add(data) == errSecSuccess)
        #expect(lockbox.unarchiveObject(forKey: "k") == nil)
        #expect(throws: LockboxError.self) { try lockbox.unarchivedObject(forKey: "k") }
    }

    @Test func `an undecodable value can be replaced and removed`() {
        for key in ["a", "b"] {
            #expect(RawItem(service: prefix + "." + key).add(Data([0xFF])) == errSecSuccess)
        }
        #expect(lockbox.archiveObject("new", forKey: "a"))
        #expect(lockbox.unarchiveObject(forKey: "a") as? String == "new")
        #expect(lockbox.removeObject(forKey: "b"))
    }

    @Test func `keys of two prefixes with the same service do not overwrite each other's archives`() {
        let other = Lockbox(keyPrefix: prefix + ".b")
        #expect(lockbox.archiveObject("mine", forKey: "b.c"))
        #expect(other.unarchiveObject(forKey: "c") == nil)
        #expect(!other.archiveObject("theirs", forKey: "c"))
        #expect(other.lastStatus == errSecDuplicateItem)
        #expect(throws: LockboxError.self) { try other.unarchivedObject(forKey: "c") }
        #expect(lockbox.unarchiveObject(forKey: "b.c") as? String == "mine")
    }

    @Test(arguments: [nil, "someone"])
    func `removing a key also removes the archive of another key in its service`(account: String?) {
        let lockbox = lockbox
        #expect(lockbox.archiveObject("mine", forKey: "k"))
        if account == nil { #expect(lockbox.removeObject(forKey: "k")) }
        let planted = RawItem(service: prefix + ".k", account: account)
        #expect(planted.add(Self.archive("theirs", "another key")) == errSecSuccess)
        #expect(lockbox.removeObject(forKey: "k"))
        #expect(RawItem(service: prefix + ".k").find().isEmpty)
    }

    @Test func `an item with an account in the same service does not prevent a write`() {
        let planted = RawItem(service: prefix + ".k", account: "someone")
        let theirs = Self.archive("theirs", "another key")
        #expect(planted.add(theirs) == errSecSuccess)
        #expect(lockbox.archiveObject("mine", forKey: "k"))
        #expect(lockbox.unarchiveObject(forKey: "k") as? String == "mine")
        #expect(planted.data == [theirs])
    }

    @Test func `the item without an account has priority, and others are unchanged`() {
        let service = prefix + ".k"
        let other = RawItem(service: service, account: "someone")
        let theirs = Self.archive("other", "k")
        #expect(other.add(theirs) == errSecSuccess)
        #expect(lockbox.unarchiveObject(forKey: "k") as? String == "other")
        #expect(lockbox.archiveObject("mine", forKey: "k"))
        #expect(lockbox.unarchiveObject(forKey: "k") as? String == "mine")
        #expect(other.data == [theirs])
        #expect(lockbox.removeObject(forKey: "k"))
        #expect(RawItem(service: service).find().isEmpty)
    }

    @Test func `class methods use the program's prefix`() {
        let key = String.unique
        #expect(Lockbox.archiveObject("a", forKey: key))
        #expect(Lockbox.unarchiveObject(forKey: key) as? String == "a")
        #expect(Lockbox().unarchiveObject(forKey: key) as? String == "a")
        #expect(!Lockbox().keyPrefix.isEmpty)
        #expect(RawItem(service: Lockbox().keyPrefix + "." + key).find().count == 1)
        #expect(Lockbox.removeObject(forKey: key))
        #expect(Lockbox.unarchiveObject(forKey: key) == nil)
    }

    @Test func `prefix and key may be empty`() {
        let lockbox = Lockbox(keyPrefix: "")
        let key = String.unique
        #expect(lockbox.archiveObject("a", forKey: key))
        #expect(RawItem(service: "." + key).find().count == 1)
        #expect(self.lockbox.archiveObject("b", forKey: ""))
        #expect(RawItem(service: prefix + ".").find().count == 1)
        #expect(self.lockbox.unarchiveObject(forKey: "") as? String == "b")
        #expect(lockbox.removeObject(forKey: key))
    }
}
