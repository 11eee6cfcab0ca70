// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import Testing

/// Parsing entitlements files that other tools wrote, and malformed ones.
@Suite struct PropertyListTests {
    private static func groups(_ file: some Collection<UInt8>) -> [String]? {
        try? Entitlements(propertyList: Array(file)).keychainAccessGroups
    }

    private static func list(_ group: String) -> String {
        "<plist><dict><key>keychain-access-groups</key><array>\(group)</array></dict></plist>"
    }

    static let accepted: [(file: String, groups: [String])] = [
        (list("<string>one</string><string>two</string>"), ["one", "two"]),
        (list(""), []),
        (list("<string/>"), [""]),
        (list("<string>a &amp; b &lt;&gt;&quot;&apos; &#65;&#x42;</string>"), ["a & b <>\"' AB"]),
        (list("<string><![CDATA[<one> & ]]>two</string>"), ["<one> & two"]),
        (list("<string>o<!-- <string> -->ne</string>"), ["one"]),
        (list("<!-- none --><string>\u{e9}</string>"), ["\u{e9}"]),
        ("\u{feff}" + list("<string>one</string>"), ["one"]),
        (
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
                <key>other</key> <dict><key>a</key><integer>1</integer><key>b</key><array><true/></array></dict>
                <key>keychain-access-groups</key>
                <array>\t<string>one</string>\r\n</array>
                <key>data</key><data>AAAA</data><key>real</key><real>1.5</real><key>none</key><false/>
            </dict>
            </plist>

            """, ["one"]
        ),
    ]

    @Test(arguments: accepted)
    func `entitlements in XML are parsed`(row: (file: String, groups: [String])) {
        #expect(Self.groups(row.file.utf8) == row.groups)
    }

    static let malformed = [
        list("<string>one"), list("<string>one</array>"), list("text<string>one</string>"),
        list("<string>&unknown;</string>"), list("<string>&#xD800;</string>"), list("<string>&amp</string>"),
        list("<string><b>one</b></string>"), list("<strings>one</strings>"),
        list("<!-- <string>one</string>"),
        list("<string>one</string>") + "<plist/>", list("<string>one</string>") + "text",
        "<plist><dict><key>a</key></dict></plist>", "<plist><dict><string>a</string></dict></plist>",
        "<plist/>", "<plist></plist>", "<dict/>", "<plist><dict>", "<", "<plist",
        "<!DOCTYPE plist [<!ENTITY a \"b\">]>" + list("<string>one</string>"),
        "<plist><dict><key>keychain-access-groups</key><array/><key>keychain-access-groups</key><array/></dict></plist>",
        list(String(repeating: "<array>", count: 40) + String(repeating: "</array>", count: 40)),
        list(String(repeating: "<array>", count: 100_000)),
        list(String(repeating: "<string/>", count: 20_000)),
    ]

    @Test(arguments: malformed.indices)
    func `malformed XML grants nothing`(index: Int) {
        #expect(throws: StatusError(.missingEntitlement, .malformedEntitlements)) {
            try Entitlements(propertyList: Array(Self.malformed[index].utf8))
        }
    }

    @Test func `XML that is not UTF-8 grants nothing`() throws {
        #expect(Self.groups(try #require(Self.list("<string>one</string>").data(using: .utf16))) == nil)
        #expect(Self.groups(Array("<plist><dict><key>a</key><string>".utf8) + [0xff]) == nil)
    }

    private static func binary(_ list: [String: Any]) throws -> [UInt8] {
        Array(try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0))
    }

    @Test func `binary lists with long strings, many members and every type are parsed`() throws {
        let groups =
            ["", "one", "\u{e9}\u{1F600}", String(repeating: "long ", count: 100)]
            + (0..<500).map { "group \($0)" }
        let file = try Self.binary([
            "keychain-access-groups": groups, "number": 1, "real": 1.5, "date": Date(), "data": Data([1]),
            "flag": true, "nested": ["a": ["b": [1, 2]]],
        ])
        #expect(Self.groups(file) == groups)
    }

    @Test func `a truncated or modified binary list does not end the process`() throws {
        let file = try Self.binary(["keychain-access-groups": ["one", "\u{e9}"], "other": ["a": [1, true]]])
        for count in file.indices { #expect(Self.groups(file[..<count]) == nil) }
        for index in file.indices {
            for bit in 0..<8 {
                var changed = file
                changed[index] ^= 1 << bit
                _ = Self.groups(changed)
            }
        }
    }

    @Test func `a binary list that contains itself grants nothing`() throws {
        // An array whose two elements are references to the array itself.
        var file = Array("bplist00".utf8) + [0xa2, 0, 0] + [8] + [UInt8](repeating: 0, count: 6) + [1, 1]
        for number in [1, 0, 11] { file += [UInt8](repeating: 0, count: 7) + [UInt8(number)] }
        #expect(Self.groups(file) == nil)
    }
}
