// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainWrapperSupport
import Testing

/// Reading keyed archives that Foundation or this test wrote.
@Suite struct ArchiveReadingTests {
    // swift-format-ignore
    nonisolated(unsafe) static let values: [NSObject] = [
        NSString(string: ""), NSString(string: "text"), NSString(string: "\u{00E9}\u{1F511}"), NSString(string: "$null"),
        NSMutableString(string: "mutable"), NSNumber(value: 5), NSNumber(value: Int64.min), NSNumber(value: UInt64.max),
        NSNumber(value: 1.5), NSNumber(value: true), NSNumber(value: false),
        NSData(), NSData(data: Data([1, 2])), NSMutableData(data: Data([3])),
        NSDate(timeIntervalSinceReferenceDate: 12.25), NSDate.distantFuture as NSDate, NSNull(),
        NSUUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!,
        NSURL(string: "https://example.com/a?b=c#d")!, NSURL(fileURLWithPath: "/path/to/a b"),
        NSArray(), NSArray(array: ["a", 1, Data([1])] as [Any]), NSMutableArray(array: ["a"]),
        NSArray(array: [NSArray(array: [NSArray(array: ["deep"])]), NSNull()]),
        NSArray(array: Array(repeating: "shared", count: 50)),
        NSSet(array: ["a", 1] as [Any]), NSMutableSet(array: ["x"]),
        NSOrderedSet(array: ["b", "a"]),
        NSDictionary(), NSDictionary(dictionary: ["a": 1, "b": Data()] as [String: Any]), NSMutableDictionary(dictionary: ["q": "r"]),
    ]

    static func foundationArchive(_ value: Any?, forKey key: String) -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(value, forKey: key)
        archiver.finishEncoding()
        return archiver.encodedData
    }

    @Test(arguments: values.indices) func `archives from Foundation are read`(index: Int) throws {
        let value = Self.values[index]
        let archive = try KeyedArchive(Self.foundationArchive(value, forKey: "a key"))
        #expect(archive.keys == ["a key"])
        let object = try #require(try archive.object(forKey: "a key") as? NSObject)
        #expect(object == value)
        #expect(object.isEqual(value))
        if value is NSNumber {
            #expect(
                String(cString: (object as! NSNumber).objCType)
                    == String(cString: (value as! NSNumber).objCType)
            )
        }
    }

    @Test func `mutable containers stay mutable`() throws {
        for value in [
            NSMutableArray(array: ["a"]), NSMutableSet(array: ["a"]),
            NSMutableDictionary(dictionary: ["a": "b"]),
        ] {
            let archive = try KeyedArchive(Self.foundationArchive(value, forKey: "k"))
            let object = try #require(try archive.object(forKey: "k") as? NSObject)
            #expect(type(of: object) == type(of: value))
        }
    }

    /// The test compares the dictionaries key by key, because Foundation on Linux cannot compare dictionaries
    /// with keys of these types.
    @Test(arguments: [true, false]) func `any object can be a key`(isWrittenHere: Bool) throws {
        let keys: [NSObject] = [
            NSNumber(value: 1), NSUUID(), NSDate(), NSData(data: Data([1])), NSArray(array: ["a"]),
            NSSet(),
            NSURL(string: "https://example.com")!,
        ]
        let dictionary = NSMutableDictionary()
        for (index, key) in keys.enumerated() { dictionary[key] = "\(index)" }
        let data =
            try isWrittenHere
            ? KeyedArchive.data(archiving: dictionary, forKey: "k")
            : Self.foundationArchive(dictionary, forKey: "k")
        let back = try KeyedArchive(data).object(forKey: "k") as? NSDictionary
        let count = back?.count
        #expect(count == keys.count)
        for (index, key) in keys.enumerated() {
            let value = back?.object(forKey: key) as? String
            #expect(value == "\(index)", "\(type(of: key))")
        }
    }

    @Test func `sets can contain containers`() throws {
        let set = NSSet(array: [NSArray(array: ["a"]), NSSet(array: ["b"])])
        let back = try KeyedArchive(Self.foundationArchive(set, forKey: "k")).object(forKey: "k") as? NSSet
        let isThere = set.allObjects.map { back?.contains($0) }
        #expect(isThere == [true, true])
    }

    @Test(arguments: ["$key", "$$", "$null", "", "key.with.dots", "\u{00E9}", "root"])
    func `any string can be an archive key, and one that starts with a dollar is escaped`(key: String) throws
    {
        let archive = try KeyedArchive(Self.foundationArchive("value", forKey: key))
        #expect(try archive.object(forKey: key) as? String == "value")
        #expect(archive.keys == [key])
        #expect(throws: KeyedArchiveError.missingRoot) { try archive.object(forKey: "another") }
    }

    @Test func `a root object is archived under root`() throws {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: NSArray(array: ["a"]),
            requiringSecureCoding: true
        )
        #expect(try KeyedArchive(data).object(forKey: KeyedArchive.rootKey) as? [String] == ["a"])
    }

    @Test func `nil can be archived and read`() throws {
        #expect(try KeyedArchive(Self.foundationArchive(nil, forKey: "k")).object(forKey: "k") == nil)
    }

    @Test func `results cast to Swift types`() throws {
        let value: [String: Any] = [
            "list": ["a", "b"], "number": 2, "flag": true, "set": NSSet(array: ["x"]),
        ]
        let archive = try KeyedArchive(Self.foundationArchive(value, forKey: "k"))
        let back = try #require(try archive.object(forKey: "k") as? [String: Any])
        #expect(back["list"] as? [String] == ["a", "b"])
        #expect(back["number"] as? Int == 2)
        #expect(back["number"] as? Double == 2)
        #expect(back["flag"] as? Bool == true)
        #expect(back["set"] as? Set<String> == ["x"])
    }

    /// Encodings of members, most of which Foundation's archiver on Linux does not write.
    @Test func `inline members and references are equivalent`() throws {
        func object(_ name: String, _ fields: [String: PropertyList]) throws -> NSObject? {
            let parts = ArchiveParts(
                ArchiveParts.instance(2, fields),
                ArchiveParts.classInfo(name),
                .string("text"),
                .data(Data("text".utf8)),
                ArchiveParts.instance(6, ["NS.base": .uid(0), "NS.relative": .uid(7)]),
                ArchiveParts.classInfo("NSURL"),
                .string("https://example.com/a/")
            )
            return try KeyedArchive(parts.data).object(forKey: "root") as? NSObject
        }
        for field in [PropertyList.string("text"), .uid(3)] {
            #expect(try object("NSMutableString", ["NS.string": field]) == NSMutableString(string: "text"))
        }
        #expect(try object("NSString", ["NS.bytes": .data(Data("text".utf8))]) == NSString(string: "text"))
        for field in [PropertyList.data(Data("text".utf8)), .uid(4)] {
            #expect(try object("NSMutableData", ["NS.data": field]) == NSMutableData(data: Data("text".utf8)))
        }
        #expect(try object("NSNumber", ["NS.intval": .integer(7)]) == NSNumber(value: 7))
        #expect(try object("NSDate", ["NS.time": .integer(7)]) == NSDate(timeIntervalSinceReferenceDate: 7))
        #expect(
            try object("NSOrderedSet", ["NS.objects": ArchiveParts.references(3)])
                == NSOrderedSet(array: ["text"])
        )
        #expect(try object("NSOrderedSet", ["NS.object.0": .uid(3)]) == NSOrderedSet(array: ["text"]))
        let url = try object("NSURL", ["NS.base": .uid(5), "NS.relative": .uid(3)]) as? NSURL
        #expect(url?.absoluteString == "https://example.com/a/text")
    }

    @Test(arguments: ["NSString", "NSMutableString"])
    func `a string from data keeps its byte order mark`(name: String) throws {
        let bytes = Data("\u{FEFF}a".utf8)
        let parts = HostileArchiveTests.instance(name, ["NS.bytes": .data(bytes)])
        let text = try KeyedArchive(parts.data).object(forKey: "root") as? String
        #expect(text.map { Data($0.utf8) } == bytes)
    }
}
