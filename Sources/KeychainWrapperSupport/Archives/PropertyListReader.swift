// SPDX-License-Identifier: Apache-2.0

package import Foundation

extension PropertyList {
    /// Parses a binary property list; XML and the old text format are rejected.
    ///
    /// Also rejects invalid Unicode, keys that are not strings, duplicate keys and lists outside the
    /// `limits`. Parsing takes linear time.
    package init(binary data: Data, limits: ParserLimits = ParserLimits()) throws(KeyedArchiveError) {
        guard data.count <= limits.size else { throw .tooLarge }
        var reader = try PropertyListReader([UInt8](data), limits: limits)
        self = try reader.object(reader.trailer.topObject, depth: 0).value
    }
}

private struct PropertyListReader {
    let bytes: [UInt8]
    let trailer: PropertyListTrailer
    let limits: ParserLimits
    private var objects: ObjectTable<PropertyList>

    init(_ bytes: [UInt8], limits: ParserLimits) throws(KeyedArchiveError) {
        self.bytes = bytes
        self.limits = limits
        trailer = try PropertyListTrailer(bytes)
        objects = ObjectTable(count: trailer.objectCount)
    }

    mutating func object(_ index: Int, depth: Int) throws(KeyedArchiveError) -> Weighed<PropertyList> {
        if let known = try objects.begin(index) { return known }
        guard depth <= limits.depth else { throw .tooDeep }
        var scalars = ScalarReader(
            bytes: bytes,
            offset: try trailer.offset(of: index, in: bytes),
            end: trailer.offsetTable
        )
        let read: Weighed<PropertyList>
        switch try scalars.marker() {
        case .scalar(let marker): read = try scalars.value(marker)
        case .array(let count): read = try elements(count, &scalars, depth) { .array($0) }
        case .set(let count): read = try elements(count, &scalars, depth) { .set($0) }
        case .dictionary(let count): read = try dictionary(count, &scalars, depth)
        }
        objects.end(index, read)
        return read
    }

    private mutating func elements(
        _ count: Int,
        _ reader: inout ScalarReader,
        _ depth: Int,
        _ container: ([PropertyList]) -> PropertyList
    ) throws(KeyedArchiveError) -> Weighed<PropertyList> {
        let references = try reader.references(count, width: trailer.referenceWidth)
        var values: [PropertyList] = []
        var weight = 1
        for reference in references {
            let element = try object(reference, depth: depth + 1)
            weight = try limits.adding(element.weight, to: weight)
            values.append(element.value)
        }
        return Weighed(value: container(values), weight: weight)
    }

    private mutating func dictionary(
        _ count: Int,
        _ reader: inout ScalarReader,
        _ depth: Int
    ) throws(KeyedArchiveError) -> Weighed<PropertyList> {
        let keys = try reader.references(count, width: trailer.referenceWidth)
        let references = try reader.references(count, width: trailer.referenceWidth)
        var values: [String: PropertyList] = [:]
        var weight = 1
        for (key, reference) in zip(keys, references) {
            let name = try object(key, depth: depth + 1)
            guard let string = name.value.string else { throw .malformed }
            let element = try object(reference, depth: depth + 1)
            weight = try limits.adding(name.weight, to: weight)
            weight = try limits.adding(element.weight, to: weight)
            guard values.updateValue(element.value, forKey: string) == nil else { throw .duplicateKey }
        }
        return Weighed(value: .dictionary(values), weight: weight)
    }
}
