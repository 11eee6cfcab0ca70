// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainWrapperSupport
import KeychainWrapperTestSupport
import Testing

/// Storing collections that contain themselves or are nested deeply.
@Suite struct NestingTests {
    @Test(arguments: EndlessValue.allCases)
    func `archiving an endless collection is rejected`(value: EndlessValue) {
        value.use { endless in
            #expect(throws: KeyedArchiveError.tooDeep) {
                try KeyedArchive.data(archiving: endless, forKey: "key")
            }
        }
    }

    @Test(arguments: EndlessValue.allCases, [true, false])
    func `an endless collection is not a property list`(value: EndlessValue, strippingNull: Bool) {
        value.use { endless in
            #expect(throws: KeyedArchiveError.self) {
                try PropertyList(foundation: endless, strippingNull: strippingNull)
            }
        }
    }

    @Test(arguments: EndlessValue.allCases)
    func `describing an endless collection is rejected`(value: EndlessValue) {
        value.use { endless in
            #expect(throws: KeyedArchiveError.tooDeep) { try ObjectDescription.text(of: endless) }
        }
    }

    /// Closures that put a value into a collection of each type.
    nonisolated(unsafe) static let wrappings: [(Any) -> Any] = [
        { NSArray(object: $0) }, { NSMutableArray(object: $0) }, { [$0] }, { ["key": $0] },
        { NSDictionary(object: $0, forKey: NSString(string: "key")) },
        { NSMutableDictionary(object: $0, forKey: NSString(string: "key")) },
    ]

    @Test(arguments: wrappings.indices)
    func `64 nested collections are stored, and 65 are rejected`(index: Int) throws {
        let wrap = Self.wrappings[index]
        let deepest = (0..<64).reduce("canary" as Any) { inner, _ in wrap(inner) }
        let data = try KeyedArchive.data(archiving: deepest, forKey: "key")
        let object = try KeyedArchive(data).object(forKey: "key") as? NSObject
        #expect(object?.isEqual(deepest) == true)
        #expect(
            try PropertyList(binary: PropertyList(foundation: deepest, strippingNull: true).binary) != .null
        )
        #expect(try !ObjectDescription.text(of: deepest).isEmpty)
        let tooDeep = wrap(deepest)
        #expect(throws: KeyedArchiveError.tooDeep) {
            try KeyedArchive.data(archiving: tooDeep, forKey: "key")
        }
        #expect(throws: KeyedArchiveError.tooDeep) {
            try PropertyList(foundation: tooDeep, strippingNull: true)
        }
        #expect(throws: KeyedArchiveError.tooDeep) { try ObjectDescription.text(of: tooDeep) }
    }

    /// An array whose only element is another such array, which is created when the element is accessed.
    final class BottomlessArray: NSArray {
        private final class Reads {
            var count = 0
        }

        private var reads = Reads()

        var readCount: Int { reads.count }

        override var count: Int { 1 }

        override func object(at index: Int) -> Any {
            reads.count += 1
            let inner = BottomlessArray()
            inner.reads = reads
            return inner
        }
    }

    @Test func `a collection is read no deeper than the limit`() {
        let archived = BottomlessArray()
        #expect(throws: KeyedArchiveError.tooDeep) {
            try KeyedArchive.data(archiving: archived, forKey: "key")
        }
        #expect(archived.readCount == 65)
        let listed = BottomlessArray()
        #expect(throws: KeyedArchiveError.tooDeep) {
            try PropertyList(foundation: listed, strippingNull: true)
        }
        #expect(listed.readCount == 65)
    }

    @Test func `elements of every collection are archived unchanged`() throws {
        let names = ["canary", "b"]
        let elements: [Any] = [
            1, 0.5, true, "canary", Data([1]), NSNull(), UUID(), names, ["k": "v"], Set(names),
        ]
        let values: [Any] = [
            elements, NSArray(array: elements), NSMutableArray(array: elements), Set(names),
            NSSet(array: names), NSMutableSet(array: names), Set(names.map { AnyHashable($0) }),
            ["k": elements], NSDictionary(dictionary: ["k": elements, "l": 1]),
        ]
        for value in values { #expect(try Self.read(value)?.isEqual(value) == true) }
        let numbered = try Self.read([1: "canary"]) as? NSDictionary
        #expect(numbered?.object(forKey: 1) as? String == "canary")
        let named = try Self.read([AnyHashable("key"): 1]) as? NSDictionary
        #expect(named?.object(forKey: "key") as? Int == 1)
        #expect((try Self.read(NSOrderedSet(array: names)) as? NSOrderedSet)?.count == names.count)
    }

    private static func read(_ value: Any) throws -> NSObject? {
        let data = try KeyedArchive.data(archiving: value, forKey: "key")
        return try KeyedArchive(data).object(forKey: "key") as? NSObject
    }
}
