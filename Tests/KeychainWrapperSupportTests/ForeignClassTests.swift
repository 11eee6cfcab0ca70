// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainWrapperSupport
import Testing

/// A class that this package does not know.
final class Account: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let name: String
    let tags: NSArray
    let next: Account?
    let count: Int

    init(name: String, tags: NSArray = [], next: Account? = nil, count: Int = 0) {
        self.name = name
        self.tags = tags
        self.next = next
        self.count = count
    }

    init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        self.name = name as String
        tags =
            coder.decodeObject(of: [NSArray.self, NSString.self, NSOrderedSet.self], forKey: "tags")
            as? NSArray ?? []
        next = coder.decodeObject(of: Account.self, forKey: "next")
        count = coder.decodeInteger(forKey: "count")
    }

    func encode(with coder: NSCoder) {
        coder.encode(NSString(string: name), forKey: "name")
        coder.encode(tags, forKey: "tags")
        coder.encode(next, forKey: "next")
        coder.encode(count, forKey: "count")
    }
}

/// An object that encodes a reference to itself.
final class Loop: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    override init() {}

    init?(coder: NSCoder) { nil }

    func encode(with coder: NSCoder) { coder.encode(self, forKey: "me") }
}

/// Archives with objects of custom classes, which decode themselves after this package has checked the archive.
@Suite struct ForeignClassTests {
    static let name = NSStringFromClass(Account.self)
    static var account: Account {
        Account(
            name: "first",
            tags: ["a", NSOrderedSet(array: ["b"])],
            next: Account(name: "second"),
            count: 7
        )
    }

    @Test func `an object of a custom class is archived and read`() throws {
        let data = try KeyedArchive.data(archiving: Self.account, forKey: "$k")
        let back = try #require(
            try KeyedArchive(data).object(forKey: "$k", classes: [Account.self]) as? Account
        )
        #expect(back.name == "first" && back.count == 7 && back.next?.name == "second")
        #expect(back.tags == Self.account.tags)
    }

    @Test func `an object of a custom class in a container is archived and read`() throws {
        let data = try KeyedArchive.data(archiving: ["k": [Self.account]], forKey: "k")
        let back =
            try KeyedArchive(data).object(forKey: "k", classes: [Account.self]) as? [String: [Account]]
        #expect(back?["k"]?.first?.name == "first")
    }

    @Test func `a custom class must be allowed`() throws {
        let data = try KeyedArchive.data(archiving: [Self.account], forKey: "k")
        #expect(throws: KeyedArchiveError.classNotAllowed(Self.name)) {
            try KeyedArchive(data).object(forKey: "k")
        }
        // A custom class must be passed as `classes`: names of unknown classes in `allowing` have no effect.
        #expect(throws: KeyedArchiveError.classNotAllowed(Self.name)) {
            try KeyedArchive(data).object(forKey: "k", allowing: KeyedArchive.knownClasses.union([Self.name]))
        }
    }

    @Test func `Foundation's reader is not used for archives without custom classes`() throws {
        // Foundation on Linux would reject the class of the array's element, or crash.
        let data = try KeyedArchive.data(archiving: ["text"], forKey: "k")
        #expect(
            try KeyedArchive(data).object(forKey: "k", classes: [Account.self]) as? [String] == ["text"]
        )
    }

    typealias Parts = ArchiveParts

    static func account(_ fields: [String: PropertyList], _ objects: PropertyList...) -> ArchiveParts {
        var parts = ArchiveParts(Parts.instance(2, fields), Parts.classInfo(name), .string("text"))
        parts.objects += objects
        return parts
    }

    // swift-format-ignore
    static let archives: [(parts: ArchiveParts, error: KeyedArchiveError)] = [
        (account(["next": .uid(1)]), .cycle),
        (account(["tags": .uid(4)], Parts.instance(5, ["NS.objects": Parts.references(1)]), Parts.classInfo("NSArray")), .cycle),
        (account(["tags": .uid(4)], Parts.instance(5, ["NS.keys": Parts.references(3), "NS.objects": Parts.references()]), Parts.classInfo("NSDictionary")),
            .wrongContent(of: "NSDictionary")),
        (account(["tags": .array([.uid(1)])]), .cycle),
        (account(["anything": .uid(4)], Parts.instance(5, [:]), Parts.classInfo("NSTask")), .classNotAllowed("NSTask")),
        (account(["anything": .dictionary([:])]), .wrongContent(of: name)),
        (account(["anything": .set([])]), .wrongContent(of: name)),
        (account(["name": .uid(99)]), .malformed),
        // These archives are valid, but `Account` rejects their contents.
        (account([:]), .wrongContent(of: name)),
        (account(["name": .integer(1)]), .wrongContent(of: name)),
        (account(["name": .uid(4)], .integer(1)), .wrongContent(of: name)),
    ]

    @Test(arguments: archives.indices) func `an invalid archive with a custom object is rejected`(
        index: Int
    ) {
        let (parts, error) = Self.archives[index]
        #expect(throws: error) {
            try KeyedArchive(parts.data).object(forKey: "root", classes: [Account.self])
        }
    }

    /// The ordered set has members in two encodings, of which this package checks only `NS.objects`.
    ///
    /// Foundation on Linux would decode `NS.object.0` and `NS.object.1`, which refer to other objects.
    @Test func `members that this package has not checked are not decoded`() throws {
        let parts = Self.account(
            ["name": .uid(3), "tags": .uid(4)],
            Parts.instance(5, ["NS.objects": Parts.references(6)]),
            Parts.classInfo("NSArray"),
            Parts.instance(
                7,
                ["NS.objects": Parts.references(3), "NS.object.0": .uid(1), "NS.object.1": .uid(4)]
            ),
            Parts.classInfo("NSOrderedSet")
        )
        let back = try KeyedArchive(parts.data).object(forKey: "root", classes: [Account.self]) as? Account
        #expect(back?.tags == [NSOrderedSet(array: ["text"])])
    }

    /// Collections that contain a number, where `Account` expects strings.
    // swift-format-ignore
    static let elements: [[PropertyList]] = [
        [Parts.instance(5, ["NS.objects": Parts.references(6)]), Parts.classInfo("NSArray"), .integer(1)],
        [Parts.instance(5, ["NS.objects": Parts.references(3, 6)]), Parts.classInfo("NSMutableArray"), .integer(1)],
        [Parts.instance(5, ["NS.objects": Parts.references(6)]), Parts.classInfo("NSArray"),
            Parts.instance(7, ["NS.objects": Parts.references(8)]), Parts.classInfo("NSOrderedSet"), .integer(1)],
    ]

    @Test(arguments: elements) func `a container may contain only the classes that the custom class expects`(
        objects: [PropertyList]
    ) throws {
        var parts = Self.account(["name": .uid(3), "tags": .uid(4)])
        parts.objects += objects
        let wrong = try? KeyedArchive(parts.data).object(forKey: "root", classes: [Account.self]) as? Account
        #expect(wrong?.tags.count ?? 0 == 0)
        parts.objects[parts.objects.count - 1] = .string("asked for")
        let back = try KeyedArchive(parts.data).object(forKey: "root", classes: [Account.self]) as? Account
        #expect((back?.tags.count ?? 0) > 0)
    }

    @Test func `an object with a reference cycle is not written`() {
        #expect(throws: KeyedArchiveError.cycle) { try KeyedArchive.data(archiving: Loop(), forKey: "k") }
    }
}
