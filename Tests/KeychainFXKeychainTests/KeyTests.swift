// SPDX-License-Identifier: Apache-2.0

import FXKeychain
import Foundation
import KeychainServices
import KeychainWrapperTestSupport
import Testing

/// Keys of different types, and the account under which each stores its value.
@Suite(.temporaryKeychain) struct KeyTests {
    let service = String.unique
    var keychain: FXKeychain { FXKeychain(service: service, accessGroup: nil) }

    // swift-format-ignore
    nonisolated(unsafe) static let keys: [(key: Any, account: String)] = [
        ("text", "text"), ("text" as NSString, "text"), ("", ""),
        (true, "1"), (false, "0"), (NSNumber(value: true), "1"),
        (1, "1"), (-7, "-7"), (UInt8(200), "200"), (UInt64.max, "18446744073709551615"),
        (1.0, "1"), (NSNumber(value: 5.0), "5"), (-1.5, "-1.5"), (0.1, "0.1"), (1e20, "1e+20"), (1.0 / 3, "0.3333333333333333"),
        (Float(0.1), "0.1"), (Float(2), "2"), (NSDecimalNumber(string: "1.50"), "1.5"),
        (Data(), "<>"), (Data([1, 2]), "<0102>"), (Data([0, 1, 2, 3, 0xFF]), "<00010203 ff>"), (NSData(data: Data([9])), "<09>"),
        (URL(string: "https://a.example/b")!, "https://a.example/b"),
        (UUID(uuidString: "00000000-0000-0000-0000-00000000000A")!, "00000000-0000-0000-0000-00000000000A"),
        (Date(timeIntervalSinceReferenceDate: 0), "2001-01-01 00:00:00 +0000"),
    ]

    @Test(arguments: keys.indices) func `a key is the description of its Foundation object`(index: Int) {
        let (key, account) = Self.keys[index]
        #expect(keychain.setObject("value", forKey: key))
        #expect(RawItem(service: service).find().map { $0["acct"] as? String } == [account])
        #expect(keychain.object(forKey: key) as? String == "value")
        #expect(keychain.object(forKey: account) as? String == "value")
        #expect(keychain.removeObject(forKey: key))
    }

    @Test func `data keys of the same length are different`() {
        keychain[Data([1, 2])] = "a"
        keychain[Data([3, 4])] = "b"
        #expect(keychain[Data([1, 2])] as? String == "a")
        #expect(keychain[Data([3, 4])] as? String == "b")
    }
}
