// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// Result data, whose class is this package's subclass of `NSData`, behaves like any other data.
@Suite(.searchedKeychain) struct ResultDataTests {
    private static let sizes = [0, 1, 14, 15, 32, 100_000]

    private func stored(_ size: Int) throws -> (found: NSData, expected: Data) {
        let secret = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let item = StoredPassword()
        #expect(item.add([kSecValueData as String: secret]) == errSecSuccess)
        let found = find(item.query.adding([kSecReturnData as String: true]))
        return (try #require(found.result as? NSData), secret)
    }

    @Test(arguments: sizes) func `result data casts to Data and NSData`(size: Int) throws {
        let (found, expected) = try stored(size)
        #expect(found as Data == expected)
        #expect((found as AnyObject) as? Data == expected)
        #expect(Data(referencing: found) == expected)
        #expect(found.length == size)
    }

    @Test(arguments: sizes) func `result data equals data with the same bytes in both directions`(
        size: Int
    ) throws {
        let (found, expected) = try stored(size)
        let plain = NSData(data: expected)
        #expect(found.isEqual(plain) && plain.isEqual(found))
        #expect(found.isEqual(to: expected))
        #expect(found.hash == plain.hash)
        #expect(!found.isEqual(NSData(data: expected + [0])))
    }

    @Test(arguments: sizes) func `result data can be copied, changed, sliced and read`(size: Int) throws {
        let (found, expected) = try stored(size)
        #expect(found.copy() as? Data == expected)
        let mutable = try #require(found.mutableCopy() as? NSMutableData)
        mutable.append(Data([7]))
        #expect(mutable as Data == expected + [7])
        #expect(found as Data == expected)
        #expect(found.subdata(with: NSRange(location: 0, length: size / 2)) == expected.prefix(size / 2))
        var bytes = [UInt8](repeating: 0, count: size)
        found.getBytes(&bytes, length: size)
        #expect(bytes == [UInt8](expected))
        #expect(found.base64EncodedString() == expected.base64EncodedString())
    }

    @Test func `result data is archived as NSData`() throws {
        let (found, expected) = try stored(40)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: found, requiringSecureCoding: true)
        let opened = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSData.self, from: archive)
        #expect(opened as Data? == expected)
    }

    @Test func `result data can be stored again`() throws {
        let (found, expected) = try stored(40)
        let copy = StoredPassword()
        #expect(copy.add([kSecValueData as String: found]) == errSecSuccess)
        #expect(find(copy.query.adding([kSecReturnData as String: true])).result as? Data == expected)
    }
}
