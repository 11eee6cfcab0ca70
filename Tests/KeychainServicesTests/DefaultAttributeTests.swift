// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// The attributes of items added without attributes.
@Suite(.searchedKeychain) struct DefaultAttributeTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let itemClass: String
        let texts: Set<String>
        let numbers: Set<String>
        let datas: Set<String>
        let dates: Set<String>
        let accessible: String

        var testDescription: String { itemClass }

        /// The attributes that the result of adding contains for every class.
        static let common: Set<String> = ["agrp", "cdat", "mdat", "pdmn", "sha1", "sync"]

        // swift-format-ignore
        static let table: [Self] = [
            .init(itemClass: "genp", texts: ["acct", "svce"], numbers: [], datas: [], dates: [], accessible: "ak"),
            .init(itemClass: "inet", texts: ["acct", "sdmn", "srvr", "atyp", "path"], numbers: ["ptcl", "port"], datas: [],
                  dates: [], accessible: "ak"),
            .init(itemClass: "cert", texts: [], numbers: ["ctyp"], datas: ["issr", "slnr"], dates: [], accessible: "dk"),
            .init(itemClass: "keys", texts: ["atag"], numbers: ["kcls", "crtr", "type", "bsiz", "esiz"], datas: ["klbl"],
                  dates: ["sdat", "edat"], accessible: "ak"),
        ]
    }

    private func check(_ object: Any?, _ row: Row, more: Set<String>) throws {
        let attributes = try #require(object as? [String: Any])
        let own = row.texts.union(row.numbers).union(row.datas).union(row.dates)
        #expect(Set(attributes.keys) == Row.common.union(own).union(more))
        for name in row.texts { #expect(attributes[name] as? String == "") }
        for name in row.numbers { #expect(attributes[name] as? Int == 0) }
        for name in row.datas { #expect(attributes[name] as? Data == Data()) }
        for name in row.dates {
            #expect(attributes[name] as? Date == Date(timeIntervalSinceReferenceDate: 0))
        }
        #expect(attributes["pdmn"] as? String == row.accessible)
        #expect(attributes["agrp"] as? String == "TEAM.app")
        #expect(attributes["sync"] as? Int == 0)
        #expect((attributes["sha1"] as? Data)?.count == 20)
        #expect(attributes["cdat"] as? Date == attributes["mdat"] as? Date)
    }

    @Test(arguments: Row.table)
    func `missing attributes have the documented defaults`(row: Row) throws {
        let item: Entries = [kSecClass as String: row.itemClass, kSecReturnAttributes as String: true]
        try check(add(item).result, row, more: [])
        let found = find(item).result
        try check(found, row, more: ["accc", "musr", "tomb"])
        let attributes = try #require(found as? [String: Any])
        #expect(attributes["musr"] as? Data == Data())
        #expect(attributes["tomb"] as? Int == 0)
        #expect(attributes["accc"] is SecAccessControl)
    }

    @Test(arguments: Row.table)
    func `a default value finds the item and is part of the primary key`(row: Row) {
        var item: Entries = [kSecClass as String: row.itemClass]
        #expect(add(item).status == errSecSuccess)
        for name in row.texts { item[name] = Data() }
        for name in row.numbers { item[name] = "0" }
        for name in row.datas { item[name] = Data() }
        for name in row.dates { item[name] = Date(timeIntervalSinceReferenceDate: 0) }
        #expect(find(item).status == errSecSuccess)
        #expect(add(item).status == errSecDuplicateItem)
    }

    @Test(arguments: Row.table)
    func `returned attributes are a query for the item`(row: Row) throws {
        let item: Entries = [
            kSecClass as String: row.itemClass, kSecAttrLabel as String: "canary label",
            kSecReturnAttributes as String: true,
        ]
        let added = try #require(add(item).result as? Entries)
        let found = try #require(find(item).result as? Entries)
        for attributes in [added, found] {
            let query = attributes.adding([kSecClass as String: row.itemClass])
            #expect(find(query).status == errSecSuccess)
        }
    }

    @Test(arguments: Row.table)
    func `an item of any class may have a secret, an empty secret or no secret`(row: Row) {
        let item: Entries = [kSecClass as String: row.itemClass]
        let data = item.adding([kSecReturnData as String: true])
        let all = data.adding([kSecMatchLimit as String: kSecMatchLimitAll])
        #expect(add(data).result as? Data == Data())
        #expect(find(data).status == errSecSuccess)
        #expect(find(data).result == nil)
        #expect((find(all).result as? [Data])?.isEmpty == true)
        for value in [Data(), Data("canary value".utf8)] {
            #expect(
                SecItemUpdate(item as CFDictionary, [kSecValueData: value] as CFDictionary) == errSecSuccess
            )
            #expect(find(data).result as? Data == value)
            #expect(find(all).result as? [Data] == [value])
        }
    }

    @Test(arguments: Row.table)
    func `an empty update changes only the modification date`(row: Row) throws {
        let item: Entries = [kSecClass as String: row.itemClass, kSecReturnAttributes as String: true]
        let before = try #require(add(item).result as? [String: Any])
        let query = [kSecClass: row.itemClass] as CFDictionary
        #expect(SecItemUpdate(query, [:] as CFDictionary) == errSecSuccess)
        let after = try #require(find(item).result as? [String: Any])
        #expect(before["cdat"] as? Date == after["cdat"] as? Date)
        let dates = (before["mdat"] as? Date, after["mdat"] as? Date)
        #expect(try #require(dates.0) < #require(dates.1))
    }
}
