// SPDX-License-Identifier: Apache-2.0

import FXKeychain
import Foundation
import KeychainServices
import KeychainWrapperTestSupport
import Testing

@Suite(.temporaryKeychain) struct BehaviourTests {
    let service = String.unique
    var keychain: FXKeychain { FXKeychain(service: service, accessGroup: nil) }

    @Test func `raw values of the accessibility are those of the original`() {
        #expect(FXKeychainAccess.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
    }

    @Test(arguments: zip(FXKeychainAccess.allCases, ["ak", "ck", "dk", "aku", "cku", "dku"]))
    func `an item has the accessibility of its last write`(
        accessibility: FXKeychainAccess,
        name: String
    ) throws {
        let keychain = FXKeychain(service: service, accessGroup: nil, accessibility: .accessibleAlways)
        #expect(keychain.setObject("old", forKey: "k"))
        keychain.accessibility = accessibility
        #expect(keychain.accessibility == accessibility)
        #expect(RawItem(service: service).find().first?["pdmn"] as? String == "dk")
        #expect(keychain.setObject("new", forKey: "k"))
        #expect(keychain.setObject("new", forKey: "another"))
        #expect(RawItem(service: service).find().map { $0["pdmn"] as? String } == [name, name])
    }

    @Test func `values are read and written by subscript`() {
        let keychain = keychain
        #expect(keychain["k"] == nil)
        keychain["k"] = "one"
        #expect(keychain["k"] as? String == "one")
        keychain["k"] = ["two": 2]
        #expect(keychain["k"] as? [String: Int] == ["two": 2])
        keychain["k"] = nil
        #expect(keychain["k"] == nil)
        #expect(keychain.lastStatus == errSecSuccess)
    }

    @Test func `setting nil removes the value and succeeds without one`() {
        #expect(keychain.removeObject(forKey: "missing"))
        #expect(keychain.setObject(nil, forKey: "missing"))
        #expect(keychain.setObject("a", forKey: "k"))
        #expect(keychain.setObject(nil, forKey: "k"))
        #expect(RawItem(service: service).find().isEmpty)
    }

    @Test func `a key is converted to its description, even if empty`() {
        #expect(keychain.setObject("number", forKey: 1))
        #expect(keychain["1"] as? String == "number")
        #expect(keychain.setObject("nothing", forKey: ""))
        #expect(keychain[""] as? String == "nothing")
        #expect(try! keychain.allKeys() == ["1", ""])
    }

    @Test func `NSNull is removed at any depth, and NSNull alone is not a value`() {
        let value: [String: Any] = ["a": NSNull(), "b": [1, NSNull(), ["c": NSNull()]] as [Any]]
        #expect(keychain.setObject(value, forKey: "k"))
        #expect((keychain["k"] as? NSObject)?.isEqual(["b": [1, [String: Any]()] as [Any]]) == true)
        #expect(!keychain.setObject(NSNull(), forKey: "k"))
        #expect(keychain["k"] != nil)
    }

    final class Plain: NSObject {}

    static let refused: [@Sendable () -> Any] = [
        { Plain() }, { [Plain()] }, { [1: "a"] as [Int: String] }, { NSNull() }, { UUID() },
        { URL(filePath: "/a") }, { Set(["a"]) },
        { Date(timeIntervalSinceReferenceDate: .nan) },
        { NSDecimalNumber(string: "1.5") },
    ]

    @Test(arguments: refused.indices) func `an unsupported value is rejected and keeps the old one`(
        index: Int
    ) {
        let keychain = keychain
        #expect(keychain.setObject("old", forKey: "k"))
        #expect(!keychain.setObject(Self.refused[index](), forKey: "k"))
        #expect(keychain.lastStatus == errSecParam)
        #expect(keychain["k"] as? String == "old")
    }

    // swift-format-ignore
    static let undecodable: [[UInt8]] = [
        [0xFF], [0x80, 0x81], Array("bplist00".utf8) + [0xFF, 0xFE],
        Array(try! NSKeyedArchiver.archivedData(withRootObject: "a" as NSString, requiringSecureCoding: true)),
    ]

    @Test(arguments: undecodable) func `an undecodable value is nil, and can be removed or replaced`(
        bytes: [UInt8]
    ) {
        let keychain = keychain
        for key in ["k", "l"] {
            #expect(RawItem(service: service, account: key).add(Data(bytes)) == errSecSuccess)
        }
        #expect(keychain["k"] == nil)
        #expect(keychain.lastStatus == errSecDecode)
        #expect(throws: FXKeychainError.self) { try keychain.storedObject(forKey: "k") }
        #expect(keychain.removeObject(forKey: "k"))
        #expect(keychain.setObject("new", forKey: "l"))
        #expect(RawItem(service: service).data == [Data("new".utf8)])
    }

    @Test func `the shared instance has a service and no access group`() {
        let keychain = FXKeychain.default()
        #expect(keychain === FXKeychain.default())
        #expect(keychain.service?.isEmpty == false)
        #expect(keychain.accessGroup == nil)
    }

    @Test func `initializers have the defaults of the original`() {
        #expect(FXKeychain().service == nil && FXKeychain().accessGroup == nil)
        #expect(FXKeychain().accessibility == .accessibleWhenUnlocked)
        #expect(keychain.accessibility == .accessibleWhenUnlocked)
        #expect(!keychain.options.acceptsKeyedArchives)
    }

    @Test func `allKeys and removeAllObjects apply only to the keychain's service`() throws {
        let other = FXKeychain(service: service + ".other", accessGroup: nil)
        for key in ["a", "b"] { keychain[key] = key }
        other["c"] = "c"
        #expect(try keychain.allKeys() == ["a", "b"])
        try keychain.removeAllObjects()
        #expect(try keychain.allKeys() == [])
        #expect(try other.allKeys() == ["c"])
        let error = #expect(throws: FXKeychainError.self) { try FXKeychain().removeAllObjects() }
        #expect(error?.reason == .ambiguousKey)
        #expect(error?.message == "the call would remove the items of all services; set a service")
        #expect(try other.allKeys() == ["c"])
    }

    struct Account: Codable, Equatable { var name: String, created: Date }

    @Test func `a Codable value is stored as JSON`() throws {
        let account = Account(name: "a", created: Date(timeIntervalSinceReferenceDate: 1))
        try keychain.store(account, forKey: "k")
        #expect(try keychain.value(Account.self, forKey: "k") == account)
        #expect(try keychain.value(Account.self, forKey: "missing") == nil)
        #expect((keychain["k"] as? String)?.hasPrefix("{") == true)
        #expect(throws: FXKeychainError.self) { try keychain.value(Int.self, forKey: "k") }
        #expect(throws: FXKeychainError.self) { try keychain.store(Double.nan, forKey: "k") }
        #expect(try keychain.value(Account.self, forKey: "k") == account)
    }

    @Test func `synchronizable items are ignored`() {
        var item = RawItem(service: service, account: "k")
        item.attributes[kSecAttrSynchronizable] = true
        #expect(item.add(Data("synchronized".utf8)) == errSecSuccess)
        #expect(keychain["k"] == nil)
        #expect(keychain.setObject("local", forKey: "k"))
        #expect(keychain["k"] as? String == "local")
    }

    @Test func `a string keeps its byte order mark`() {
        let text = "\u{FEFF}a"
        #expect(keychain.setObject(text, forKey: "k"))
        #expect(RawItem(service: service).data == [Data(text.utf8)])
        #expect((keychain["k"] as? String).map { Data($0.utf8) } == Data(text.utf8))
    }

    @Test func `an error contains neither key nor value`() {
        keychain["secret key"] = "a"
        let error = #expect(throws: FXKeychainError.self) {
            try keychain.value(Int.self, forKey: "secret key")
        }
        let description = error.map { "\($0)" } ?? ""
        #expect(description.hasPrefix("undecodableValue, status -26275: "))
        #expect(!description.contains("secret key") && !description.contains("\"a\""))
    }
}
