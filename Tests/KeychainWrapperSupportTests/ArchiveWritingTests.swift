// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainWrapperSupport
import Testing

/// Writing keyed archives, which Foundation's unarchiver then reads.
@Suite struct ArchiveWritingTests {
    static func foundationObject(_ data: Data, forKey key: String) throws -> Any? {
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = false
        defer { unarchiver.finishDecoding() }
        return unarchiver.decodeObject(forKey: key)
    }

    @Test(arguments: ArchiveReadingTests.values.indices)
    func `archives are read by Foundation and this package`(index: Int) throws {
        let value = ArchiveReadingTests.values[index]
        let data = try KeyedArchive.data(archiving: value, forKey: "$key")
        // Foundation's unarchiver on Linux decodes the string "$null" as nil.
        if value != NSString(string: "$null") {
            #expect(try Self.foundationObject(data, forKey: "$key") as? NSObject == value)
        }
        #expect(try KeyedArchive(data).object(forKey: "$key") as? NSObject == value)
    }

    @Test(arguments: ["key", "$key", "", "a.b", "root"])
    func `the object is archived under the caller's key`(key: String) throws {
        let data = try KeyedArchive.data(archiving: "value", forKey: key)
        let list = try #require(try PropertyList(binary: data).dictionary)
        let filed = key.hasPrefix("$") ? "$" + key : key
        #expect(list["$top"] == .dictionary([filed: .uid(1)]))
        #expect(list["$objects"] == .array([.string("$null"), .string("value")]))
        #expect(list["$version"] == .integer(100_000))
        #expect(list["$archiver"] == .string("NSKeyedArchiver"))
        #expect(list.count == 4)
    }

    @Test func `an archived nil refers to the first object`() throws {
        let data = try KeyedArchive.data(archiving: nil, forKey: "k")
        #expect(try PropertyList(binary: data).dictionary?["$top"] == .dictionary(["k": .uid(0)]))
        #expect(try KeyedArchive(data).object(forKey: "k") == nil)
    }

    @Test func `Swift types are archived like their Foundation equivalents`() throws {
        let values: [Any] = [
            "text", 5, 1.5, true, Data([1]), Date(timeIntervalSinceReferenceDate: 1), UUID(),
            URL(string: "https://example.com")!, ["a", 1] as [Any], ["k": ["v"]], Set(["a"]),
        ]
        for value in values {
            let data = try KeyedArchive.data(archiving: value, forKey: "k")
            #expect((try KeyedArchive(data).object(forKey: "k") as? NSObject)?.isEqual(value) == true)
        }
    }

    final class Plain: NSObject {}

    static func nested(_ depth: Int) -> [Any] { depth == 0 ? [] : [nested(depth - 1)] }

    @Test func `unsupported, too large and too deeply nested values are rejected`() throws {
        struct Structure {}
        let refused: [(Any, KeyedArchiveError)] = [
            (Plain(), .unsupportedValue), (Structure(), .unsupportedValue),
            ([Structure()], .unsupportedValue),
            (["k": Plain()], .unsupportedValue), (Set([Plain()]), .unsupportedValue),
            (Date(timeIntervalSinceReferenceDate: .nan), .unsupportedValue),
            (NSDecimalNumber(string: "1.5"), .unsupportedValue),
            (Set(0..<10_001), .tooLarge), (Self.nested(65), .tooDeep),
        ]
        for (value, error) in refused {
            #expect(throws: error) { try KeyedArchive.data(archiving: value, forKey: "k") }
        }
    }

    /// Foundation on Linux replaces an unpaired surrogate when the string is created, so nothing is rejected
    /// there.
    @Test func `a string with an unpaired surrogate is rejected, or its replacement is read back`() {
        let units: [UInt16] = [0x61, 0xD800]
        let text = NSString(characters: units, length: units.count)
        let isHalf = text.character(at: 1) == 0xD800
        let back = (try? KeyedArchive.data(archiving: text, forKey: "k")).flatMap {
            try? KeyedArchive($0).object(forKey: "k") as? NSString
        }
        #expect(isHalf ? back == nil : back == text)
    }
}
