// SPDX-License-Identifier: Apache-2.0

package import Foundation

extension KeyedArchive {
    /// Archives a value in the format of `NSKeyedArchiver`.
    ///
    /// Rejects every value that the reader would reject, so that a stored value is only replaced by a readable one.
    /// Foundation's archiver on Linux ends the process if a custom class encodes an object without secure
    /// coding.
    ///
    /// - Parameters:
    ///   - value: Objects of ``knownClasses`` or the equivalent Swift types; objects of other classes that
    ///     support secure coding, which Foundation's archiver writes. `nil` is archived too.
    ///   - key: The key of the object in the archive.
    /// - Returns: A binary property list.
    /// - Throws: ``KeyedArchiveError/unsupportedValue``, or the error that the reader would throw.
    package static func data(archiving value: Any?, forKey key: String) throws(KeyedArchiveError) -> Data {
        var writer = ArchiveWriter()
        let index: UInt32
        if let value { index = try writer.add(value, depth: 0) } else { index = 0 }
        let data: Data
        if writer.hasForeign {
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            archiver.encode(value, forKey: key)
            archiver.finishEncoding()
            data = archiver.encodedData
        } else {
            data = list(objects: writer.objects, top: [topKey(key): .uid(index)]).binary
        }
        _ = try KeyedArchive(data).archivedObject(forKey: key, allowing: nil, limits: ParserLimits())
        return data
    }

    static func list(objects: [PropertyList], top: [String: PropertyList]) -> PropertyList {
        .dictionary([
            "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
            "$objects": .array(objects), "$top": .dictionary(top),
        ])
    }
}

/// Builds the object list of an archive, unless ``hasForeign`` is set: then Foundation's archiver must write it.
private struct ArchiveWriter {
    private(set) var objects: [PropertyList] = [.string("$null")]
    /// Whether the value contains an ordered set or a custom object, which only Foundation's archiver can write.
    private(set) var hasForeign = false

    private let limits = ParserLimits()
    private var weight = 0
    private var classes: [String: UInt32] = [:]

    mutating func add(_ value: Any, depth: Int) throws(KeyedArchiveError) -> UInt32 {
        // A value that contains itself exceeds the maximum depth.
        guard depth <= limits.depth else { throw .tooDeep }
        weight = try limits.adding(1, to: weight)
        if let container = Container(value) { return try add(container, of: value, depth: depth + 1) }
        if let scalar = PropertyList(scalar: value) { return addScalar(scalar, of: value) }
        switch value {
        case let date as NSDate:
            let seconds = date.timeIntervalSinceReferenceDate
            guard seconds.isFinite else { throw .unsupportedValue }
            return add("NSDate", ["NS.time": .real(seconds)])
        case let uuid as NSUUID:
            let bytes = unsafe withUnsafeBytes(of: (uuid as UUID).uuid) { unsafe Data($0) }
            return add("NSUUID", ["NS.uuidbytes": .data(bytes)])
        case let url as NSURL: return try add(url, depth: depth + 1)
        case is NSNull: return add("NSNull", [:])
        default: return try addForeign(value)
        }
    }

    private mutating func append(_ list: PropertyList) -> UInt32 {
        objects.append(list)
        // The weight limit is also a limit on the number of objects, so the index fits in 32 bits.
        return UInt32(truncatingIfNeeded: objects.count - 1)
    }

    private mutating func addScalar(_ scalar: PropertyList, of value: Any) -> UInt32 {
        switch (value as? NSObject)?.classForCoder {
        case let type? where type == NSMutableString.self: add("NSMutableString", ["NS.string": scalar])
        case let type? where type == NSMutableData.self: add("NSMutableData", ["NS.data": scalar])
        default: append(scalar)
        }
    }

    /// Adds an object with its class and its members; returns its index.
    private mutating func add(_ className: String, _ fields: [String: PropertyList]) -> UInt32 {
        var fields = fields
        fields["$class"] = .uid(classReference(className))
        return append(.dictionary(fields))
    }

    private mutating func add(
        _ container: Container,
        of value: Any,
        depth: Int
    ) throws(KeyedArchiveError) -> UInt32 {
        let prefix = container.isMutable ? "NSMutable" : "NS"
        var fields: [String: PropertyList] = [:]
        if container.kind == .dictionary { fields["NS.keys"] = try references(container.keys, depth) }
        fields["NS.objects"] = try references(container.elements, depth)
        switch container.kind {
        case .array: return add(prefix + "Array", fields)
        case .set: return add(prefix + "Set", fields)
        case .dictionary: return add(prefix + "Dictionary", fields)
        case .orderedSet: return try addForeign(value)
        }
    }

    private mutating func references(
        _ elements: [Any],
        _ depth: Int
    ) throws(KeyedArchiveError) -> PropertyList {
        var references: [PropertyList] = []
        for element in elements { references.append(.uid(try add(element, depth: depth))) }
        return .array(references)
    }

    private mutating func add(_ url: NSURL, depth: Int) throws(KeyedArchiveError) -> UInt32 {
        var base: UInt32 = 0
        if let baseURL = url.baseURL { base = try add(baseURL, depth: depth) }
        let relative = append(.string(url.relativeString))
        return add("NSURL", ["NS.base": .uid(base), "NS.relative": .uid(relative)])
    }

    private mutating func addForeign(_ value: Any) throws(KeyedArchiveError) -> UInt32 {
        guard let object = value as? any NSObject & NSSecureCoding, type(of: object).supportsSecureCoding,
            KeyedArchive.name(of: type(of: object)) != nil
        else { throw .unsupportedValue }
        // A number that gets here is an `NSDecimalNumber`, on which Foundation's archiver on Linux crashes. A
        // string that gets here is invalid Unicode.
        guard !(object is NSNumber), !(object is NSString) else { throw .unsupportedValue }
        hasForeign = true
        return 0
    }

    private mutating func classReference(_ name: String) -> UInt32 {
        if let reference = classes[name] { return reference }
        let immutable = name.replacing("Mutable", with: "")
        let lineage = (name == immutable ? [name] : [name, immutable]) + ["NSObject"]
        let reference = append(
            .dictionary(["$classname": .string(name), "$classes": .array(lineage.map { .string($0) })])
        )
        classes[name] = reference
        return reference
    }
}
