// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainClient

@Suite struct AttributeStringTests {
    @Test(arguments: [
        [:], ["service": "git", "user": "joe"], ["": ""], ["a=b&c%": " ü\n\u{0}é&="], ["x": "%41"],
    ])
    func `attributes survive the conversion to text`(attributes: [String: String]) {
        #expect(AttributeString.parse(AttributeString.format(attributes)) == attributes)
    }

    @Test(arguments: ["a", "a=b=c", "a=%4", "a=%GG", "a=%FF"])
    func `malformed text is refused`(text: String) {
        #expect(AttributeString.parse(text) == nil)
    }

    @Test func `the attributes are sorted by their bytes`() {
        #expect(AttributeString.format(["b": "2", "a": "1", "B": "3"]) == "B=3&a=1&b=2")
    }
}
