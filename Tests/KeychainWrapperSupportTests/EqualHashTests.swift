// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainWrapperSupport
import Testing

/// Sets and dictionaries whose elements all have the same hash, so that Foundation compares every pair.
///
/// Reading them is limited; large sets and dictionaries of ordinary values are still read.
@Suite struct EqualHashTests {
    typealias Parts = ArchiveParts

    /// Returns an archive of a set or dictionary with the elements `objects[elements]`.
    ///
    /// The first of `objects` has index 4 in the archive; index 3 is the class of arrays. Indices in `elements`
    /// after the last of `objects` refer to objects that the caller appends.
    static func container(_ name: String, _ elements: Range<Int>, _ objects: [PropertyList]) -> ArchiveParts {
        let references = PropertyList.array(elements.map { .uid(UInt32($0 + 4)) })
        let fields =
            name == "NSDictionary"
            ? ["NS.keys": references, "NS.objects": references] : ["NS.objects": references]
        var parts = ArchiveParts(Parts.instance(2, fields), Parts.classInfo(name), Parts.classInfo("NSArray"))
        parts.objects += objects
        return parts
    }

    /// Returns data whose first 100 bytes are the same for every index; Foundation hashes fewer bytes.
    static func data(_ index: Int) -> PropertyList {
        .data(Data(repeating: 7, count: 100) + Data("\(index)".utf8))
    }

    /// Returns a string in which only a few characters depend on the index; Foundation does not hash them.
    static func text(_ index: Int) -> PropertyList {
        let number = String(repeating: "0", count: 5 - "\(index)".count) + "\(index)"
        return .string(
            String(repeating: "a", count: 80) + number + String(repeating: "b", count: 300)
        )
    }

    /// Returns arrays that have all numbers but one in common, and then the numbers to which they refer.
    static func arrays(_ count: Int, sharing shared: Int) -> [PropertyList] {
        let numbers = (0..<shared + count).map { PropertyList.integer(Int64($0)) }
        let arrays = (0..<count).map { index in
            HostileArchiveTests.array(
                (0..<shared).map { $0 + count + 4 } + [count + 4 + shared + index],
                classReference: 3
            )
        }
        return arrays + numbers
    }

    // swift-format-ignore
    static let refused: [(count: Int, objects: [PropertyList])] = [
        (500, (0..<500).map(data)), (2_000, (0..<2_000).map(data)),
        (10_000, (0..<10_000).map(text)),
        (300, arrays(300, sharing: 900)),
    ]

    @Test(arguments: refused.indices, ["NSSet", "NSMutableOrderedSet", "NSDictionary"])
    func `containers that need too many comparisons are rejected in advance`(index: Int, name: String) {
        let (count, objects) = Self.refused[index]
        let parts = Self.container(name, 0..<count, objects)
        #expect(throws: KeyedArchiveError.tooLarge) {
            try KeyedArchive(parts.data).object(forKey: "root")
        }
    }

    @Test func `many small sets are limited like one large set`() throws {
        func read(_ sets: Int) throws -> NSArray? {
            let data = (0..<100).map(Self.data)
            var parts = Self.container("NSArray", 100..<100 + sets, data)
            let classReference = parts.objects.count + sets
            for _ in 0..<sets {
                parts.objects.append(
                    HostileArchiveTests.array(Array(4..<104), classReference: classReference)
                )
            }
            parts.objects.append(Parts.classInfo("NSSet"))
            return try KeyedArchive(parts.data).object(forKey: "root") as? NSArray
        }
        #expect(try read(5)?.count == 5)
        #expect(throws: KeyedArchiveError.tooLarge) { try read(50) }
    }

    /// Comparing two elements of the outer set compares all elements of two inner sets.
    @Test func `nested sets are limited by the total number of comparisons`() throws {
        func read(_ sets: Int) throws -> NSSet? {
            let data = (0..<30).map(Self.data)
            var parts = Self.container("NSSet", 30..<30 + sets, data)
            for _ in 0..<sets {
                parts.objects.append(HostileArchiveTests.array(Array(4..<34), classReference: 2))
            }
            return try KeyedArchive(parts.data).object(forKey: "root") as? NSSet
        }
        #expect(try read(4)?.count == 1)
        #expect(throws: KeyedArchiveError.tooLarge) { try read(30) }
    }

    // swift-format-ignore
    static let ordinary: [(count: Int, objects: [PropertyList])] = [
        (10_000, (0..<10_000).map { .integer($0) }),
        (10_000, (0..<10_000).map { .real(Double($0) / 7) }),
        (10_000, (0..<10_000).map { .string("user\($0)@mail.example") }),
        (10_000, (0..<10_000).map { .data(Data("\($0)".utf8) + Data(count: 100)) }),
        (30, arrays(30, sharing: 100)), (200, arrays(200, sharing: 0)),
    ]

    @Test(arguments: ordinary.indices, ["NSSet", "NSMutableOrderedSet", "NSDictionary"])
    func `large containers of ordinary values are read`(index: Int, name: String) throws {
        let (count, objects) = Self.ordinary[index]
        let parts = Self.container(name, 0..<count, objects)
        let object = try KeyedArchive(parts.data).object(forKey: "root")
        let read = (object as? NSSet)?.count ?? (object as? NSOrderedSet)?.count
        #expect((read ?? (object as? NSDictionary)?.count) == count)
    }
}
