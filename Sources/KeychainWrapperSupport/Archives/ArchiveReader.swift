// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A decoded object, with the properties that its containing object needs.
struct ArchivedObject {
    /// The object; `nil` for an encoded `nil`, or for a custom object that was checked but not created.
    let object: NSObject?
    /// Whether the object is or contains an object of a custom class, which decodes itself.
    var isForeign = false
    /// Whether the object is a collection, whose hash ignores most of its elements, or a custom object.
    var isContainer = false
    /// The cost of comparing the object with an equal one, in the unit of ``ComparisonWork``.
    var comparison = 0
    /// Whether the object is or contains a set of containers, or a dictionary with containers as keys.
    ///
    /// Foundation on Linux ends the process when it compares two such objects.
    var isIncomparable = false
}

/// Creates the objects of an archive, each only once, and only if its class is allowed.
struct ArchiveReader {
    private let objects: [PropertyList]
    /// The allowed classes; `nil` allows every class.
    private let allowed: Set<String>?
    private let types: [String: any NSSecureCoding.Type]
    private let limits: ParserLimits
    private var known: ObjectTable<ArchivedObject>
    /// The total cost of comparing elements in all sets and dictionaries of the archive.
    private var work = ComparisonWork()

    init(
        _ objects: [PropertyList],
        allowing classes: Set<String>?,
        making types: [String: any NSSecureCoding.Type],
        limits: ParserLimits
    ) {
        self.objects = objects
        allowed = classes
        self.types = types
        self.limits = limits
        known = ObjectTable(count: objects.count)
    }

    mutating func object(_ index: Int, depth: Int) throws(KeyedArchiveError) -> Weighed<ArchivedObject> {
        if let known = try known.begin(index) { return known }
        guard depth <= limits.depth else { throw .tooDeep }
        let read: Weighed<ArchivedObject>
        switch objects[index] {
        case .string("$null") where index == 0: read = Weighed(value: ArchivedObject(object: nil), weight: 1)
        case .dictionary(let fields): read = try instance(fields, depth: depth)
        case let value: read = try scalar(value)
        }
        known.end(index, read)
        return read
    }

    /// Decodes a string, number or data, which has no class in an archive.
    private func scalar(_ value: PropertyList) throws(KeyedArchiveError) -> Weighed<ArchivedObject> {
        switch value {
        case .string: try allow("NSString", value)
        case .data: try allow("NSData", value)
        case .boolean, .integer, .unsigned, .real: try allow("NSNumber", value)
        case .null, .date, .uid, .array, .set, .dictionary: throw .malformed
        }
    }

    private func allow(
        _ name: String,
        _ value: PropertyList
    ) throws(KeyedArchiveError) -> Weighed<ArchivedObject> {
        guard allows(name) else { throw .classNotAllowed(name) }
        let object = ArchivedObject(
            object: value.scalarObject,
            comparison: ComparisonWork.scalar(ofWeight: value.weight)
        )
        return Weighed(value: object, weight: value.weight)
    }

    /// Decodes an object stored with its class; throws if the class is not allowed.
    private mutating func instance(
        _ fields: [String: PropertyList],
        depth: Int
    ) throws(KeyedArchiveError) -> Weighed<ArchivedObject> {
        let name = try className(fields["$class"])
        let row = ArchivedClass.table[name]
        guard allows(name) || row.map({ allows($0.immutableName) }) == true else {
            throw .classNotAllowed(String(name.prefix(128)))
        }
        var builder = ObjectBuilder(className: name, fields: fields, depth: depth + 1)
        guard let row else {
            return try builder.makeForeign(types[name], from: &self)
        }
        return try builder.make(row, from: &self)
    }

    private func allows(_ name: String) -> Bool { allowed?.contains(name) != false }

    private func className(_ value: PropertyList?) throws(KeyedArchiveError) -> String {
        guard let index = value?.uid, objects.indices.contains(index), let fields = objects[index].dictionary,
            let name = fields["$classname"]?.string, let lineage = fields["$classes"]?.array,
            lineage.first?.string == name, lineage.allSatisfy({ $0.string != nil })
        else { throw .malformed }
        return name
    }

    /// Adds the cost of comparing set elements or dictionary keys; throws if the total exceeds the limit.
    ///
    /// - Returns: The cost that was added.
    mutating func compare(_ elements: [ArchivedObject]) throws(KeyedArchiveError) -> Int {
        try work.add(elements)
    }

    func adding(_ weight: Int, to total: Int) throws(KeyedArchiveError) -> Int {
        try limits.adding(weight, to: total)
    }
}
