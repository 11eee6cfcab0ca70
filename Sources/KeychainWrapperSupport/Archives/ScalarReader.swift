// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads one object of a property list; throws instead of reading at or after the offset ``end``.
struct ScalarReader {
    enum Marker {
        /// An object that is not a collection, with its marker byte.
        case scalar(UInt8)
        case array(Int), set(Int), dictionary(Int)
    }

    let bytes: [UInt8]
    private(set) var offset: Int
    let end: Int

    init(bytes: [UInt8], offset: Int, end: Int) {
        self.bytes = bytes
        self.offset = offset
        self.end = end
    }

    mutating func marker() throws(KeyedArchiveError) -> Marker {
        let marker = bytes[try advance(1)]
        switch marker >> 4 {
        case 0xA: return .array(try count(marker))
        // 0xB is the marker of an ordered set, 0xC that of a set.
        case 0xB, 0xC: return .set(try count(marker))
        case 0xD: return .dictionary(try count(marker))
        default: return .scalar(marker)
        }
    }

    mutating func references(_ count: Int, width: Int) throws(KeyedArchiveError) -> [Int] {
        guard count <= (end - offset) / width else { throw .malformed }
        let start = try advance(count * width)
        var references: [Int] = []
        references.reserveCapacity(count)
        for index in 0..<count {
            let reference = bytes.number(at: start + index * width, width: width)
            guard let reference else { throw .malformed }
            references.append(reference)
        }
        return references
    }

    mutating func value(_ marker: UInt8) throws(KeyedArchiveError) -> Weighed<PropertyList> {
        switch marker >> 4 {
        case 0x4:
            let count = try count(marker)
            let start = try advance(count)
            return weighed(.data(Data(bytes[start..<start + count])), count)
        case 0x5:
            let count = try count(marker)
            let start = try advance(count)
            let text = bytes[start..<start + count]
            guard text.allSatisfy({ $0 < 0x80 }) else { throw .malformed }
            return weighed(.string(String(decoding: text, as: UTF8.self)), count)
        case 0x6: return try wideString(marker)
        default: return weighed(try number(marker), 0)
        }
    }

    private func weighed(_ value: PropertyList, _ count: Int) -> Weighed<PropertyList> {
        Weighed(value: value, weight: ParserLimits.weight(ofByteCount: count))
    }

    private mutating func wideString(_ marker: UInt8) throws(KeyedArchiveError) -> Weighed<PropertyList> {
        let count = try count(marker)
        guard count <= (end - offset) / 2 else { throw .malformed }
        let start = try advance(count * 2)
        let units = (0..<count).map { UInt16(bytes[start + $0 * 2]) << 8 | UInt16(bytes[start + $0 * 2 + 1]) }
        guard let string = String(validating: units, as: UTF16.self) else { throw .malformed }
        return weighed(.string(string), count * 2)
    }

    private mutating func number(_ marker: UInt8) throws(KeyedArchiveError) -> PropertyList {
        switch marker {
        case 0x00: return .null
        case 0x08: return .boolean(false)
        case 0x09: return .boolean(true)
        // Only eight-byte integers are signed.
        case 0x10...0x13: return .integer(Int64(bitPattern: try bits(1 << Int(marker & 0x0F))))
        case 0x14: return try wideInteger()
        case 0x22: return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try bits(4)))))
        case 0x23: return .real(Double(bitPattern: try bits(8)))
        case 0x33:
            let seconds = Double(bitPattern: try bits(8))
            guard seconds.isFinite else { throw .malformed }
            return .date(seconds)
        case 0x80...0x87:
            guard let index = UInt32(exactly: try bits(Int(marker & 0x0F) + 1)) else { throw .malformed }
            return .uid(index)
        default: throw .malformed
        }
    }

    /// Reads a 16-byte integer, used for numbers above the largest `Int64`.
    private mutating func wideInteger() throws(KeyedArchiveError) -> PropertyList {
        let high = try bits(8)
        let low = try bits(8)
        // The upper eight bytes are the sign extension of the lower eight, or zero if the number is unsigned.
        if high == (low >> 63 == 1 ? .max : 0) { return .integer(Int64(bitPattern: low)) }
        guard high == 0 else { throw .malformed }
        return .unsigned(low)
    }

    /// Reads a number of bytes or elements.
    ///
    /// The number is in the low four bits of the marker, or if all are set, in an integer after the marker.
    private mutating func count(_ marker: UInt8) throws(KeyedArchiveError) -> Int {
        guard marker & 0x0F == 0x0F else { return Int(marker & 0x0F) }
        let integer = bytes[try advance(1)]
        guard (0x10...0x13).contains(integer), let count = Int(exactly: try bits(1 << Int(integer & 0x0F)))
        else { throw .malformed }
        return count
    }

    private mutating func bits(_ width: Int) throws(KeyedArchiveError) -> UInt64 {
        bytes.bits(at: try advance(width), width: width)
    }

    /// Skips `count` bytes; returns the offset of the first of them.
    private mutating func advance(_ count: Int) throws(KeyedArchiveError) -> Int {
        guard count <= end - offset else { throw .malformed }
        defer { offset += count }
        return offset
    }
}
