// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing
import Valet

@Suite(.ownKeychain) struct ValueTests {
    let valet: Valet

    init() throws { valet = .valet(with: try .fresh(), accessibility: .whenUnlocked) }

    @Test func `data and strings are read back`() throws {
        try valet.setObject(Data([0, 255, 0]), forKey: "bytes")
        #expect(try valet.object(forKey: "bytes") == Data([0, 255, 0]))
        try valet.setString("canary \u{1F511} e\u{301}", forKey: "text")
        #expect(try valet.string(forKey: "text").utf8.elementsEqual("canary \u{1F511} e\u{301}".utf8))
        #expect(try valet.object(forKey: "text") == Data("canary \u{1F511} e\u{301}".utf8))
        try valet.setString("one", forKey: "text")
        #expect(try valet.string(forKey: "text") == "one")
        try valet.removeAllObjects()
    }

    @Test func `a missing value is itemNotFound`() throws {
        #expect(throws: KeychainError.itemNotFound) { try valet.object(forKey: "missing") }
        #expect(throws: KeychainError.itemNotFound) { try valet.string(forKey: "missing") }
        #expect(try !valet.containsObject(forKey: "missing"))
        #expect(try valet.allKeys() == [])
        try valet.removeObject(forKey: "missing")
        try valet.removeAllObjects()
    }

    @Test func `an empty key is rejected before an empty value`() {
        #expect(throws: KeychainError.emptyKey) { try valet.setObject(Data(), forKey: "") }
        #expect(throws: KeychainError.emptyKey) { try valet.setString("", forKey: "") }
        #expect(throws: KeychainError.emptyKey) { try valet.object(forKey: "") }
        #expect(throws: KeychainError.emptyKey) { try valet.string(forKey: "") }
        #expect(throws: KeychainError.emptyKey) { try valet.removeObject(forKey: "") }
        #expect(throws: KeychainError.couldNotAccessKeychain) { try valet.containsObject(forKey: "") }
    }

    @Test func `an empty value is rejected and keeps the old one`() throws {
        try valet.setString("canary", forKey: "key")
        #expect(throws: KeychainError.emptyValue) { try valet.setObject(Data(), forKey: "key") }
        #expect(throws: KeychainError.emptyValue) { try valet.setString("", forKey: "key") }
        #expect(try valet.string(forKey: "key") == "canary")
        try valet.removeAllObjects()
    }

    @Test(arguments: [[0xff, 0xfe], [0xc3], [0xed, 0xa0, 0x80], [0x61, 0x80]] as [[UInt8]])
    func `data that is not UTF-8 is not a string`(bytes: [UInt8]) throws {
        try valet.setObject(Data(bytes), forKey: "key")
        #expect(throws: KeychainError.itemNotFound) { try valet.string(forKey: "key") }
        #expect(try valet.object(forKey: "key") == Data(bytes))
        try valet.removeAllObjects()
    }

    @Test func `keys are listed, and removed individually or together`() throws {
        for key in ["a", "b", "c"] { try valet.setString("canary", forKey: key) }
        #expect(try valet.allKeys() == ["a", "b", "c"])
        try valet.removeObject(forKey: "b")
        #expect(try valet.allKeys() == ["a", "c"])
        try valet.removeAllObjects()
        #expect(try valet.allKeys() == [])
    }

    @Test func `canonically equivalent keys are different`() throws {
        try valet.setString("composed", forKey: "\u{e9}")
        try valet.setString("decomposed", forKey: "e\u{301}")
        #expect(try valet.string(forKey: "\u{e9}") == "composed")
        #expect(try valet.string(forKey: "e\u{301}") == "decomposed")
        try valet.removeAllObjects()
    }

    @Test func `a large value is read back`() throws {
        let value = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        try valet.setObject(value, forKey: "large")
        #expect(try valet.object(forKey: "large") == value)
        try valet.removeAllObjects()
    }

    @Test func `different valets do not see each other's values`() throws {
        let others = [
            Valet.valet(with: try .fresh(), accessibility: .whenUnlocked),
            Valet.valet(with: valet.identifier, accessibility: .afterFirstUnlock),
            Valet.iCloudValet(with: valet.identifier, accessibility: .whenUnlocked),
        ]
        try valet.setString("canary", forKey: "key")
        for other in others {
            #expect(throws: KeychainError.itemNotFound) { try other.string(forKey: "key") }
            #expect(try other.allKeys() == [])
            try other.removeObject(forKey: "key")
            try other.removeAllObjects()
        }
        #expect(try valet.string(forKey: "key") == "canary")
        try valet.removeAllObjects()
    }

    @Test func `the description of a valet contains its parameters`() throws {
        let shared = Valet.sharedGroupValet(with: try .team(), accessibility: .afterFirstUnlock)
        #expect(valet.accessibility == .whenUnlocked)
        #expect(valet.description.hasSuffix(" \(valet.identifier) AccessibleWhenUnlocked (Valet)"))
        #expect(shared.identifier.description == "TEAM.shared")
        #expect(shared.description.hasSuffix(" TEAM.shared AccessibleAfterFirstUnlock (Valet)"))
        let cloud = Valet.iCloudValet(with: valet.identifier, accessibility: .whenUnlocked)
        #expect(cloud.description.hasSuffix("AccessibleWhenUnlocked (iCloud)"))
    }
}
