// SPDX-License-Identifier: Apache-2.0

/// Reads binary property lists from untrusted files.
///
/// Every offset and count is checked. Because several objects may refer to the same object, a small file could
/// contain a huge number of values, so their number is limited.
struct BinaryPropertyList {
    static let magic = Array("bplist00".utf8)
    private static let trailerCount = 32

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let rootObject: Int
    private let tableOffset: Int

    /// Reads the trailer: `zeros 6 | offset size 1 | reference size 1 | objects 8 | root 8 | table offset 8`.
    ///
    /// The result is `nil` if the trailer is malformed.
    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        let trailer = bytes.count - Self.trailerCount
        guard trailer >= Self.magic.count else { return nil }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let objectCount = Self.number(bytes, at: trailer + 8, size: 8),
            let rootObject = Self.number(bytes, at: trailer + 16, size: 8),
            let tableOffset = Self.number(bytes, at: trailer + 24, size: 8),
            objectCount <= bytes.count, tableOffset <= trailer,
            objectCount * offsetSize <= trailer - tableOffset
        else { return nil }
        self.objectCount = objectCount
        self.rootObject = rootObject
        self.tableOffset = tableOffset
    }

    func root() -> PropertyListValue? {
        var budget = PropertyListValue.most
        return value(rootObject, depth: 0, &budget)
    }

    private func value(_ object: Int, depth: Int, _ budget: inout Int) -> PropertyListValue? {
        budget -= 1
        guard budget >= 0, depth < PropertyListValue.deepest, (0..<objectCount).contains(object),
            let offset = Self.number(bytes, at: tableOffset + object * offsetSize, size: offsetSize),
            offset < tableOffset
        else { return nil }
        switch bytes[offset] >> 4 {
        case 0x5, 0x6: return string(at: offset).map { .string($0) }
        case 0xa:
            guard let (count, start) = countAndStart(at: offset),
                let members = values(count, at: start, depth, &budget)
            else { return nil }
            return .array(members)
        case 0xd: return dictionary(at: offset, depth, &budget)
        default: return .other
        }
    }

    private func values(
        _ count: Int,
        at start: Int,
        _ depth: Int,
        _ budget: inout Int
    ) -> [PropertyListValue]? {
        guard count <= (tableOffset - start) / referenceSize else { return nil }
        var values: [PropertyListValue] = []
        for index in 0..<count {
            guard let object = Self.number(bytes, at: start + index * referenceSize, size: referenceSize),
                let value = value(object, depth: depth + 1, &budget)
            else { return nil }
            values.append(value)
        }
        return values
    }

    private func dictionary(at offset: Int, _ depth: Int, _ budget: inout Int) -> PropertyListValue? {
        guard let (count, start) = countAndStart(at: offset),
            let keys = values(count, at: start, depth, &budget),
            let members = values(count, at: start + count * referenceSize, depth, &budget)
        else { return nil }
        var dictionary: [String: PropertyListValue] = [:]
        for (key, member) in zip(keys, members) {
            guard case .string(let name) = key, dictionary.updateValue(member, forKey: name) == nil else {
                return nil
            }
        }
        return .dictionary(dictionary)
    }

    /// Reads a string of ASCII characters or big-endian UTF-16 code units; `nil` if it is malformed.
    private func string(at offset: Int) -> String? {
        guard let (count, start) = countAndStart(at: offset) else { return nil }
        let unitSize = bytes[offset] >> 4 == 0x5 ? 1 : 2
        guard count <= (tableOffset - start) / unitSize else { return nil }
        let content = bytes[start..<start + count * unitSize]
        if unitSize == 1 {
            return content.allSatisfy { $0 < 0x80 } ? String(decoding: content, as: UTF8.self) : nil
        }
        let units = stride(from: start, to: content.endIndex, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        return String(validating: units, as: UTF16.self)
    }

    /// Returns the number of an object's elements, and the offset of its content; `nil` if they are malformed.
    ///
    /// The number is in the object's first byte, or in the integer after that byte.
    private func countAndStart(at offset: Int) -> (count: Int, start: Int)? {
        let short = Int(bytes[offset] & 0xf)
        guard short == 0xf else { return (short, offset + 1) }
        guard offset + 1 < tableOffset, bytes[offset + 1] >> 4 == 1, bytes[offset + 1] & 0xf <= 3 else {
            return nil
        }
        let size = 1 << Int(bytes[offset + 1] & 0xf)
        guard offset + 2 + size <= tableOffset,
            let count = Self.number(bytes, at: offset + 2, size: size), count <= bytes.count
        else { return nil }
        return (count, offset + 2 + size)
    }

    /// Reads a big-endian number; `nil` if it exceeds `Int32.max`, or is not within the bytes.
    private static func number(_ bytes: [UInt8], at offset: Int, size: Int) -> Int? {
        guard offset >= 0, offset + size <= bytes.count else { return nil }
        let number = bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return number <= UInt64(Int32.max) ? Int(number) : nil
    }
}
