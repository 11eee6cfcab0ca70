// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainWrapperSupport
import Testing

/// Malicious keyed archives, some of which crash Foundation's unarchiver on Linux.
@Suite struct HostileArchiveTests {
    typealias Parts = ArchiveParts

    // swift-format-ignore
    static let archives: [(parts: ArchiveParts, error: KeyedArchiveError)] = [
        // Property lists that are not keyed archives.
        (with { $0.archiver = "NSArchiver" }, .notAnArchive), (with { $0.version = .integer(1) }, .notAnArchive),
        (with { $0.top = [:] }, .missingRoot), (with { $0.top = ["root": .string("text")] }, .missingRoot),
        (with { $0.top = ["root": .uid(9)] }, .malformed), (with { $0.top = ["root": .uid(.max)] }, .malformed),
        // Reference cycles.
        (Parts(array([1]), Parts.classInfo("NSArray")), .cycle),
        (Parts(array([3]), Parts.classInfo("NSArray"), array([1])), .cycle),
        (Parts(Parts.instance(2, ["NS.keys": Parts.references(1), "NS.objects": Parts.references(0)]), Parts.classInfo("NSDictionary")), .cycle),
        (Parts(Parts.instance(2, ["NS.base": .uid(1), "NS.relative": .uid(3)]), Parts.classInfo("NSURL"), .string("a")), .cycle),
        (Parts(Parts.instance(2, ["NS.string": .uid(1)]), Parts.classInfo("NSMutableString")), .cycle),
        // Dictionaries with different numbers of keys and values, and with duplicate, missing or `nil` elements.
        (dictionary(keys: [3, 4], values: [3]), .wrongContent(of: "NSDictionary")),
        (dictionary(keys: [3], values: [3, 4]), .wrongContent(of: "NSDictionary")),
        (dictionary(keys: [3], values: []), .wrongContent(of: "NSDictionary")),
        (dictionary(keys: [3, 3], values: [3, 4]), .duplicateKey),
        (dictionary(keys: [0], values: [3]), .wrongContent(of: "NSDictionary")),
        (dictionary(keys: [3], values: [0]), .wrongContent(of: "NSDictionary")),
        (dictionary(keys: [3], values: [99]), .malformed),
        (dictionary(keys: [5, 6], values: [3, 4]), .duplicateKey),
        // Members that are missing or have the wrong type.
        (instance("NSArray", [:]), .wrongContent(of: "NSArray")),
        (instance("NSArray", ["NS.objects": .uid(0)]), .wrongContent(of: "NSArray")),
        (instance("NSArray", ["NS.objects": .array([.string("in place")])]), .wrongContent(of: "NSArray")),
        (instance("NSArray", ["NS.objects": Parts.references(0)]), .wrongContent(of: "NSArray")),
        (instance("NSSet", ["NS.objects": .string("text")]), .wrongContent(of: "NSSet")),
        (instance("NSDate", [:]), .wrongContent(of: "NSDate")),
        (instance("NSDate", ["NS.time": .string("now")]), .wrongContent(of: "NSDate")),
        (instance("NSDate", ["NS.time": .real(.nan)]), .wrongContent(of: "NSDate")),
        (instance("NSDate", ["NS.time": .real(.infinity)]), .wrongContent(of: "NSDate")),
        (instance("NSUUID", ["NS.uuidbytes": .data(Data(count: 15))]), .wrongContent(of: "NSUUID")),
        (instance("NSUUID", ["NS.uuidbytes": .data(Data(count: 17))]), .wrongContent(of: "NSUUID")),
        (instance("NSUUID", [:]), .wrongContent(of: "NSUUID")),
        (instance("NSURL", ["NS.base": .uid(0)]), .wrongContent(of: "NSURL")),
        (instance("NSURL", ["NS.base": .uid(3), "NS.relative": .uid(3)]), .wrongContent(of: "NSURL")),
        (instance("NSURL", ["NS.base": .string("in place"), "NS.relative": .uid(3)]), .wrongContent(of: "NSURL")),
        (instance("NSMutableString", [:]), .wrongContent(of: "NSMutableString")),
        (instance("NSMutableString", ["NS.string": .uid(0)]), .wrongContent(of: "NSMutableString")),
        (instance("NSMutableString", ["NS.bytes": .data(Data([0xFF]))]), .wrongContent(of: "NSMutableString")),
        (instance("NSMutableData", ["NS.data": .string("text")]), .wrongContent(of: "NSMutableData")),
        (instance("NSNumber", [:]), .wrongContent(of: "NSNumber")),
        (instance("NSNumber", ["NS.intval": .string("1")]), .wrongContent(of: "NSNumber")),
        // Classes that are not allowed or malformed.
        (instance("NSTask", ["NS.objects": Parts.references()]), .classNotAllowed("NSTask")),
        (instance(String(repeating: "C", count: 1000), [:]), .classNotAllowed(String(repeating: "C", count: 128))),
        (Parts(array([3]), Parts.classInfo("NSArray"), Parts.instance(4, [:]), Parts.classInfo("NSTask")), .classNotAllowed("NSTask")),
        (Parts(Parts.instance(9, [:])), .malformed), (Parts(Parts.instance(1, [:])), .malformed),
        (Parts(.dictionary([:])), .malformed), (Parts(.array([])), .malformed), (Parts(.uid(1)), .malformed),
        (Parts(.date(0)), .malformed), (Parts(.null), .malformed),
        (Parts(Parts.instance(2, [:]), .dictionary(["$classname": .string("NSNull")])), .malformed),
        (Parts(Parts.instance(2, [:]), .dictionary(["$classname": .string("NSNull"), "$classes": .array([.string("NSObject")])])), .malformed),
    ]

    @Test(arguments: archives.indices) func `invalid archives are rejected`(index: Int) {
        let (parts, error) = Self.archives[index]
        #expect(throws: error) { try KeyedArchive(parts.data).object(forKey: "root") }
    }

    /// Canonically equivalent strings are equal in Swift but have different hashes in Foundation, so lookups
    /// depend on the size of the hash table.
    @Test(arguments: ["NSSet", "NSMutableSet", "NSDictionary"])
    func `canonically equivalent strings are rejected in sets and dictionaries`(name: String) {
        let spellings = (0..<100).flatMap { ["\($0)\u{E9}", "\($0)e\u{301}"] }
        let all = PropertyList.array((3..<3 + spellings.count).map { .uid(UInt32($0)) })
        let fields = name == "NSDictionary" ? ["NS.keys": all, "NS.objects": all] : ["NS.objects": all]
        var parts = Parts(Parts.instance(2, fields), Parts.classInfo(name))
        parts.objects += spellings.map { .string($0) }
        #expect(throws: KeyedArchiveError.duplicateKey) {
            try KeyedArchive(parts.data).object(forKey: "root")
        }
    }

    @Test func `a class is read only if it is allowed`() throws {
        let data = ArchiveReadingTests.foundationArchive(
            NSMutableArray(array: [NSDate(), "text", 1, Data()] as [Any]),
            forKey: "k"
        )
        let needed: Set = ["NSArray", "NSDate", "NSString", "NSNumber", "NSData"]
        #expect(try KeyedArchive(data).object(forKey: "k", allowing: needed) as? NSArray != nil)
        for name in needed {
            let expected = name == "NSArray" ? "NSMutableArray" : name
            #expect(throws: KeyedArchiveError.classNotAllowed(expected)) {
                try KeyedArchive(data).object(forKey: "k", allowing: needed.subtracting([name]))
            }
        }
        #expect(throws: KeyedArchiveError.classNotAllowed("NSMutableArray")) {
            try KeyedArchive(data).object(forKey: "k", allowing: [])
        }
    }

    @Test func `exponential growth by shared references is rejected`() throws {
        // Each array contains the next array twice, so the number of paths doubles with each level.
        func parts(_ depth: Int) -> ArchiveParts {
            var parts = ArchiveParts(Self.array([3, 3]), Parts.classInfo("NSArray"))
            for index in 3..<3 + depth { parts.objects.append(Self.array([index + 1, index + 1])) }
            parts.objects.append(.boolean(true))
            return parts
        }
        _ = try KeyedArchive(parts(10).data).object(forKey: "root")
        #expect(throws: KeyedArchiveError.tooLarge) {
            try KeyedArchive(parts(50).data).object(forKey: "root")
        }
    }

    @Test func `deeply nested archives are rejected`() throws {
        func parts(_ depth: Int) -> ArchiveParts {
            var parts = ArchiveParts(Self.array([3]), Parts.classInfo("NSArray"))
            for index in 3..<2 + depth { parts.objects.append(Self.array([index + 1])) }
            parts.objects.append(.boolean(true))
            return parts
        }
        let limit = ParserLimits().depth
        _ = try KeyedArchive(parts(limit).data).object(forKey: "root")
        #expect(throws: KeyedArchiveError.tooDeep) {
            try KeyedArchive(parts(limit + 1).data).object(forKey: "root")
        }
    }

    @Test func `a set is limited by its number of elements and the cost of comparing them`() throws {
        func set(_ members: [PropertyList]) -> ArchiveParts {
            var parts = ArchiveParts(
                Self.array((4..<4 + members.count).map { $0 }, classReference: 2),
                Parts.classInfo("NSSet"),
                Parts.classInfo("NSArray")
            )
            parts.objects += members
            return parts
        }
        func read(_ members: [PropertyList]) throws -> NSSet? {
            try KeyedArchive(set(members).data).object(forKey: "root") as? NSSet
        }
        #expect(try read((0..<10_000).map { .integer($0) })?.count == 10_000)
        #expect(throws: KeyedArchiveError.tooLarge) { try read((0..<10_001).map { .integer($0) }) }
        let empty = Self.array([], classReference: 3)
        #expect(try read(Array(repeating: empty, count: 300))?.count == 1)
        #expect(throws: KeyedArchiveError.tooLarge) { try read(Array(repeating: empty, count: 400)) }
    }

    /// Foundation on Linux crashes when it compares two sets of containers.
    @Test(arguments: ["NSSet", "NSOrderedSet"])
    func `sets of sets of containers are rejected before they are compared`(name: String) throws {
        func read(_ inner: PropertyList) throws -> Any? {
            let parts = ArchiveParts(
                Self.array([3, 4]),
                Parts.classInfo(name),
                inner,
                inner,
                Parts.instance(6, ["NS.objects": .array([])]),
                Parts.classInfo("NSArray")
            )
            return try KeyedArchive(parts.data).object(forKey: "root")
        }
        #expect(try read(Self.array([])) != nil)
        #expect(throws: KeyedArchiveError.wrongContent(of: name)) { try read(Self.array([5])) }
        #expect(throws: KeyedArchiveError.wrongContent(of: name)) {
            // The set's element is an array. It contains a set of arrays, which Foundation cannot compare.
            let parts = ArchiveParts(
                Self.array([3]),
                Parts.classInfo(name),
                Self.array([5], classReference: 4),
                Parts.classInfo("NSArray"),
                Self.array([6]),
                Parts.instance(4, ["NS.objects": .array([])])
            )
            return try KeyedArchive(parts.data).object(forKey: "root")
        }
    }

    static func with(_ change: (inout ArchiveParts) -> Void) -> ArchiveParts {
        var parts = ArchiveParts(.string("text"))
        change(&parts)
        return parts
    }

    static func array(_ elements: [Int], classReference: Int = 2) -> PropertyList {
        Parts.instance(classReference, ["NS.objects": .array(elements.map { .uid(UInt32($0)) })])
    }

    /// Returns an archive of an object of a class; its third object is a string, to which members can refer.
    static func instance(_ name: String, _ fields: [String: PropertyList]) -> ArchiveParts {
        ArchiveParts(Parts.instance(2, fields), Parts.classInfo(name), .string("text"))
    }

    /// Returns an archive of a dictionary; its objects three to six are strings, of which five and six are
    /// canonically equivalent.
    static func dictionary(keys: [Int], values: [Int]) -> ArchiveParts {
        ArchiveParts(
            Parts.instance(
                2,
                [
                    "NS.keys": .array(keys.map { .uid(UInt32($0)) }),
                    "NS.objects": .array(values.map { .uid(UInt32($0)) }),
                ]
            ),
            Parts.classInfo("NSDictionary"),
            .string("a"),
            .string("b"),
            .string("\u{00E9}"),
            .string("e\u{0301}")
        )
    }
}
