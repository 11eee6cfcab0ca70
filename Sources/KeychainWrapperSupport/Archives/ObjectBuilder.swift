// SPDX-License-Identifier: Apache-2.0

import Foundation

struct ObjectBuilder {
    let className: String
    let fields: [String: PropertyList]
    /// The depth of the object's members.
    let depth: Int
    /// The weight of the object and of the members read so far; see ``ParserLimits``.
    private var weight = 1
    /// The cost of comparing the object, with the members read so far; see ``ComparisonWork``.
    private var comparison = ComparisonWork.scalar(ofWeight: 1)
    private var isForeign = false
    private var isIncomparable = false

    init(className: String, fields: [String: PropertyList], depth: Int) {
        self.className = className
        self.fields = fields
        self.depth = depth
    }

    mutating func make(
        _ row: ArchivedClass,
        from reader: inout ArchiveReader
    ) throws(KeyedArchiveError) -> Weighed<ArchivedObject> {
        let object = try object(row, from: &reader)
        let isContainer = [.array, .set, .orderedSet, .dictionary].contains(row.content)
        return Weighed(
            value: ArchivedObject(
                object: object,
                isForeign: isForeign,
                isContainer: isContainer,
                comparison: comparison,
                isIncomparable: isIncomparable
            ),
            weight: weight
        )
    }

    private mutating func object(
        _ row: ArchivedClass,
        from reader: inout ArchiveReader
    ) throws(KeyedArchiveError) -> NSObject {
        switch row.content {
        case .string: try string(row.isMutable, &reader)
        case .data: try data(row.isMutable, &reader)
        case .number: try number()
        case .date: try date()
        case .url: try url(&reader)
        case .uuid: try uuid()
        case .null: NSNull()
        case .array: try array(row.isMutable, &reader)
        case .set: try set(row.isMutable, &reader)
        case .orderedSet: try orderedSet(row.isMutable, &reader)
        case .dictionary: try dictionary(row.isMutable, &reader)
        }
    }

    private var wrong: KeyedArchiveError { .wrongContent(of: className) }

    // MARK: Members

    /// Reads a member of this object, and adds its weight and its comparison cost.
    private mutating func member(
        _ value: PropertyList,
        _ reader: inout ArchiveReader
    ) throws(KeyedArchiveError) -> ArchivedObject {
        guard let index = value.uid else { throw wrong }
        let member = try reader.object(index, depth: depth)
        weight = try reader.adding(member.weight, to: weight)
        comparison = ComparisonWork.sum(comparison, member.value.comparison)
        isForeign = isForeign || member.value.isForeign
        isIncomparable = isIncomparable || member.value.isIncomparable
        return member.value
    }

    private mutating func elements(
        _ values: [PropertyList]?,
        _ reader: inout ArchiveReader
    ) throws(KeyedArchiveError) -> [ArchivedObject] {
        guard let values else { throw wrong }
        var elements: [ArchivedObject] = []
        for value in values {
            let element = try member(value, &reader)
            // A collection cannot contain an encoded `nil`.
            guard element.object != nil || element.isForeign else { throw wrong }
            elements.append(element)
        }
        return elements
    }

    /// Checks all members of a custom object; on Linux, creates the object if its class is given.
    mutating func makeForeign(
        _ type: (any NSSecureCoding.Type)?,
        from reader: inout ArchiveReader
    ) throws(KeyedArchiveError) -> Weighed<ArchivedObject> {
        var values: [String: NSObject] = [:]
        for (name, value) in fields where name != "$class" {
            values[name] = try foreignMember(value, &reader)
        }
        let object = try foreignObject(type, values)
        return Weighed(
            value: ArchivedObject(
                object: object,
                isForeign: true,
                isContainer: true,
                comparison: comparison
            ),
            weight: weight
        )
    }

    private func foreignObject(
        _ type: (any NSSecureCoding.Type)?,
        _ values: [String: NSObject]
    ) throws(KeyedArchiveError) -> NSObject? {
        #if canImport(Darwin)
        return nil
        #else
        guard let type else { return nil }
        let coder = MemberCoder(values, names: Set(fields.keys))
        guard let object = type.init(coder: coder) as? NSObject else { throw wrong }
        return object
        #endif
    }

    private mutating func foreignMember(
        _ value: PropertyList,
        _ reader: inout ArchiveReader
    ) throws(KeyedArchiveError) -> NSObject? {
        switch value {
        case .uid: return try member(value, &reader).object
        case .array(let elements):
            var objects: [NSObject] = []
            for element in elements { objects.append(try foreignMember(element, &reader) ?? NSNull()) }
            return NSArray(array: objects)
        // A keyed archiver never encodes a member as one of these types.
        case .set, .dictionary, .date, .null: throw wrong
        case .boolean, .integer, .unsigned, .real, .string, .data:
            try add(value, &reader)
            return value.scalarObject
        }
    }

    // MARK: Objects without elements

    /// Reads a string or data, stored in the object itself or as a separate object.
    private mutating func content(
        _ names: [String],
        _ reader: inout ArchiveReader
    ) throws(KeyedArchiveError) -> NSObject {
        guard let value = value(names) else { throw wrong }
        if value.uid == nil {
            guard let object = value.scalarObject else { throw wrong }
            try add(value, &reader)
            return object
        }
        guard let object = try member(value, &reader).object else { throw wrong }
        return object
    }

    /// Adds the weight and the comparison cost of a value stored in the object itself.
    private mutating func add(
        _ value: PropertyList,
        _ reader: inout ArchiveReader
    ) throws(KeyedArchiveError) {
        weight = try reader.adding(value.weight, to: weight)
        comparison = ComparisonWork.sum(comparison, ComparisonWork.scalar(ofWeight: value.weight))
    }

    private func value(_ names: [String]) -> PropertyList? { names.lazy.compactMap { fields[$0] }.first }

    private mutating func string(
        _ isMutable: Bool,
        _ reader: inout ArchiveReader
    ) throws(KeyedArchiveError) -> NSObject {
        let string: String
        switch try content(["NS.string", "NS.bytes"], &reader) {
        case let object as NSString: string = object as String
        case let object as NSData:
            guard let decoded = String(validating: object as Data, as: UTF8.self) else { throw wrong }
            string = decoded
        default: throw wrong
        }
        return isMutable ? NSMutableString(string: string) : NSString(string: string)
    }

    private mutating func data(
        _ isMutable: Bool,
        _ reader: inout ArchiveReader
    ) throws(KeyedArchiveError) -> NSObject {
        guard let data = try content(["NS.data", "NS.bytes"], &reader) as? NSData else { throw wrong }
        return isMutable ? NSMutableData(data: data as Data) : data
    }

    private func number() throws(KeyedArchiveError) -> NSObject {
        guard let number = value(["NS.boolval", "NS.intval", "NS.dblval"])?.scalarObject as? NSNumber else {
            throw wrong
        }
        return number
    }

    private func date() throws(KeyedArchiveError) -> NSObject {
        guard let seconds = fields["NS.time"]?.double, seconds.isFinite else { throw wrong }
        return NSDate(timeIntervalSinceReferenceDate: seconds)
    }

    private func uuid() throws(KeyedArchiveError) -> NSObject {
        guard let bytes = fields["NS.uuidbytes"]?.data, bytes.count == 16 else { throw wrong }
        let hex = bytes.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }
        let groups = [hex[0..<4], hex[4..<6], hex[6..<8], hex[8..<10], hex[10..<16]]
        let text = groups.map { $0.joined() }.joined(separator: "-")
        guard let uuid = NSUUID(uuidString: text) else { throw wrong }
        return uuid
    }

    private mutating func url(_ reader: inout ArchiveReader) throws(KeyedArchiveError) -> NSObject {
        guard let relative = try content(["NS.relative"], &reader) as? NSString else { throw wrong }
        var base: URL?
        if let value = fields["NS.base"], let object = try member(value, &reader).object {
            guard let url = object as? NSURL else { throw wrong }
            base = url as URL
        }
        guard let url = NSURL(string: relative as String, relativeTo: base) else { throw wrong }
        return url
    }

    // MARK: Objects with elements

    private mutating func array(
        _ isMutable: Bool,
        _ reader: inout ArchiveReader
    ) throws(KeyedArchiveError) -> NSObject {
        let objects = try elements(fields["NS.objects"]?.array, &reader).compactMap(\.object)
        return isMutable ? NSMutableArray(array: objects) : NSArray(array: objects)
    }

    private mutating func set(
        _ isMutable: Bool,
        _ reader: inout ArchiveReader
    ) throws(KeyedArchiveError) -> NSObject {
        let elements = try elements(fields["NS.objects"]?.array, &reader)
        let objects = try unique(elements, &reader)
        return isMutable ? NSMutableSet(array: objects) : NSSet(array: objects)
    }

    private mutating func orderedSet(
        _ isMutable: Bool,
        _ reader: inout ArchiveReader
    ) throws(KeyedArchiveError) -> NSObject {
        let elements = try elements(ArchivedClass.orderedElements(in: fields), &reader)
        let objects = try unique(elements, &reader)
        return isMutable ? NSMutableOrderedSet(array: objects) : NSOrderedSet(array: objects)
    }

    private mutating func dictionary(
        _ isMutable: Bool,
        _ reader: inout ArchiveReader
    ) throws(KeyedArchiveError) -> NSObject {
        let keys = try elements(fields["NS.keys"]?.array, &reader)
        let values = try elements(fields["NS.objects"]?.array, &reader)
        guard keys.count == values.count else { throw wrong }
        let names = try unique(keys, &reader)
        let objects = values.compactMap(\.object)
        // The object of a custom class is `nil` if it was checked but not created. The dictionary then cannot be
        // created either, and its caller does not use it.
        guard names.count == keys.count, objects.count == names.count else { return NSDictionary() }
        var dictionary: [AnyHashable: Any] = [:]
        for (key, value) in zip(names, objects) {
            // A dictionary copies its keys, so they must conform to `NSCopying`.
            guard key is any NSCopying else { throw wrong }
            guard dictionary.updateValue(value, forKey: AnyHashable(key)) == nil else { throw .duplicateKey }
        }
        return isMutable ? NSMutableDictionary(dictionary: dictionary) : NSDictionary(dictionary: dictionary)
    }

    /// Checks the elements of a set or the keys of a dictionary; returns their objects.
    ///
    /// Throws if Foundation on Linux cannot compare an element (``ArchivedObject/isIncomparable``), if comparing
    /// the elements would exceed the limit, or if two different strings are canonically equivalent.
    private mutating func unique(
        _ elements: [ArchivedObject],
        _ reader: inout ArchiveReader
    ) throws(KeyedArchiveError) -> [NSObject] {
        guard !elements.contains(where: \.isIncomparable) else { throw wrong }
        comparison = ComparisonWork.sum(comparison, try reader.compare(elements))
        isIncomparable = isIncomparable || elements.contains(where: \.isContainer)
        let objects = elements.compactMap(\.object)
        try refuseTwoSpellings(in: objects)
        return objects
    }

    /// Rejects different strings that are canonically equivalent.
    ///
    /// Such strings are equal in Swift but have different `NSString` hashes. A Swift set or dictionary ends the
    /// process if equal elements have different hashes.
    private func refuseTwoSpellings(in objects: [NSObject]) throws(KeyedArchiveError) {
        var spellings: [String: String] = [:]
        for case let text as NSString in objects {
            let text = text as String
            guard let known = spellings.updateValue(text, forKey: text) else { continue }
            guard known.utf8.elementsEqual(text.utf8) else { throw .duplicateKey }
        }
    }
}
