// SPDX-License-Identifier: Apache-2.0

/// The trailer of a binary property list, its last 32 bytes.
///
/// Source: CFBinaryPList.c of the open source CoreFoundation.
struct PropertyListTrailer {
    static let size = 32
    static let headerSize = 8

    /// The sizes of an offset and of a reference to an object, in bytes.
    let offsetWidth: Int, referenceWidth: Int
    let objectCount: Int
    let topObject: Int
    /// The offset of the offset table, which follows the last object.
    let offsetTable: Int

    init(_ bytes: [UInt8]) throws(KeyedArchiveError) {
        guard PropertyList.hasMagic(bytes), bytes.count > Self.headerSize + Self.size else {
            throw .malformed
        }
        let end = bytes.count - Self.size
        offsetWidth = Int(bytes[end + 6])
        referenceWidth = Int(bytes[end + 7])
        guard (1...8).contains(offsetWidth), (1...8).contains(referenceWidth),
            let objectCount = bytes.number(at: end + 8, width: 8),
            let topObject = bytes.number(at: end + 16, width: 8),
            let offsetTable = bytes.number(at: end + 24, width: 8)
        else { throw .malformed }
        // The offset table must occupy all bytes between the objects and the trailer.
        guard offsetTable > Self.headerSize, offsetTable < end, topObject < objectCount,
            (end - offsetTable).isMultiple(of: offsetWidth),
            (end - offsetTable) / offsetWidth == objectCount
        else { throw .malformed }
        self.objectCount = objectCount
        self.topObject = topObject
        self.offsetTable = offsetTable
    }

    /// Returns the offset of an object; throws if there is no such object, or if the offset is not between header and
    /// offset table.
    func offset(of object: Int, in bytes: [UInt8]) throws(KeyedArchiveError) -> Int {
        guard object < objectCount,
            let offset = bytes.number(at: offsetTable + object * offsetWidth, width: offsetWidth),
            (Self.headerSize..<offsetTable).contains(offset)
        else { throw .malformed }
        return offset
    }
}

extension [UInt8] {
    /// Reads a big-endian number of up to 8 bytes, which must be within the array.
    func bits(at offset: Int, width: Int) -> UInt64 {
        self[offset..<offset + width].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads a count or an offset; `nil` if the number is too large for `Int`.
    func number(at offset: Int, width: Int) -> Int? { Int(exactly: bits(at: offset, width: width)) }
}
