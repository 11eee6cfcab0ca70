// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An object of an archive, with the properties its container needs.
struct ArchivedObject {
    /// The object; `nil` for an encoded `nil`, or a custom object that is only checked.
    let object: NSObject?
    /// Whether it is or contains an object that only its own class can decode.
    var isForeign = false
    /// Whether it has elements, which its hash hardly covers.
    var isContainer = false
    /// The cost of comparing it with an equal object; see ``ComparisonWork``.
    var comparison = 0
    /// Whether it is or contains a set or dictionary of containers.
    ///
    /// Foundation on Linux ends the process when it compares two of these.
    var isIncomparable = false
}

/// Creates the objects of an archive, each once, of allowed classes only.
struct ArchiveReader {
    private let objects: [PropertyList]
    /// The allowed classes; `nil` allows every class.
    private let allowed: Set<String>?
    private let types: [String: any NSSecureCoding.Type]
    private let limits: ParserLimits
    private var known: ObjectTable<ArchivedObject>
    /// The cost of comparisons in all sets and dictionaries.
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

    /// Decodes an object of a class.
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

    /// Counts the cost of comparing the elements of a set, or the keys of a dictionary.
    mutating func compare(_ elements: [ArchivedObject]) throws(KeyedArchiveError) -> Int {
        try work.add(elements)
    }

    func adding(_ weight: Int, to total: Int) throws(KeyedArchiveError) -> Int {
        try limits.adding(weight, to: total)
    }
}
