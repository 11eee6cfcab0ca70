// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTool
import Testing

@Suite struct JSONValueTests {
    @Test(arguments: [
        #"{"a":"b"}"#, #" { "a" : [ 1 , -2.5e3 , true , false , null , "x" ] } "#, "[]", "{}", "0", "-0",
        "0.50", "1E+10", "\"\"",
        #""\"\\\/\b\f\n\r\té\ud83d\ude00""#, #"{"a":{"a":{"a":[[[]]]}}}"#,
    ])
    func `valid JSON is parsed as Foundation parses it`(text: String) throws {
        let value = try #require(JSONValue(Array(text.utf8)))
        let expected = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        #expect(Self.isEqual(value, expected))
    }

    private static func isValid(_ bytes: [UInt8]) -> Bool { JSONValue(bytes).map { _ in true } ?? false }

    private static func isEqual(_ value: JSONValue, _ expected: Any) -> Bool {
        switch value {
        case .null: expected is NSNull
        case .boolean(let boolean): expected as? Bool == boolean
        case .number(let text): (expected as? NSNumber)?.doubleValue == Double(text)
        case .string(let text): expected as? String == text
        case .array(let elements):
            (expected as? [Any]).map { array in
                array.count == elements.count && zip(elements, array).allSatisfy { isEqual($0, $1) }
            } ?? false
        case .object(let members):
            (expected as? [String: Any]).map { object in
                object.count == members.count
                    && members.allSatisfy { member in
                        object[member.name].map { isEqual(member.value, $0) } ?? false
                    }
            } ?? false
        }
    }

    @Test(arguments: [
        "", " ", "{", "}", "[1,]", "[1 2]", #"{"a"}"#, #"{"a":}"#, #"{a:1}"#, #"{"a":1,}"#, "\"", "\"\n\"",
        #""\x""#, #""\u12""#, #""\ud800""#, #""\ud800A""#, #""\udc00""#, #""\u+123""#, "nul", "tru", "+1",
        "01", "-01", "[00]", "1.", "1.e5", "-", "0x1", "1e+", "Infinity", ".5", "1e", "--1",
        "1 1", "[1]x", "'a'", String(repeating: "[", count: 100_000),
        String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
    ])
    func `malformed JSON is refused`(text: String) {
        #expect(!Self.isValid(Array(text.utf8)))
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(!Self.isValid([0x22, 0xff, 0x22]))
    }

    @Test func `every truncation of a document is refused`() {
        let text = Array(#"{"items":[{"type":1,"name":"a\u00e9","login":{"password":"x"}}]}"#.utf8)
        for count in text.indices { #expect(!Self.isValid(Array(text[..<count]))) }
        #expect(JSONValue(text)?["items"]?.elements?.first?["name"]?.string == "aé")
    }

}
