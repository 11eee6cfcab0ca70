// SPDX-License-Identifier: Apache-2.0

/// The last 32 bytes of a binary property list: where the objects are.
///
/// Source: CFBinaryPList.c of the open source CoreFoundation.
struct PropertyListTrailer {
    static let size = 32
    static let headerSize = 8

    /// The widths of an offset and of a reference, in bytes.
    let offsetWidth: Int, referenceWidth: Int
    let objectCount: Int
    /// The object that the list is.
    let topObject: Int
    /// Where the table of offsets begins, and so where the objects end.
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
        // The table fills what lies between the objects and these bytes.
        guard offsetTable > Self.headerSize, offsetTable < end, topObject < objectCount,
            (end - offsetTable).isMultiple(of: offsetWidth),
            (end - offsetTable) / offsetWidth == objectCount
        else { throw .malformed }
        self.objectCount = objectCount
        self.topObject = topObject
        self.offsetTable = offsetTable
    }

    /// Where an object begins.
    func offset(of object: Int, in bytes: [UInt8]) throws(KeyedArchiveError) -> Int {
        guard object < objectCount,
            let offset = bytes.number(at: offsetTable + object * offsetWidth, width: offsetWidth),
            (Self.headerSize..<offsetTable).contains(offset)
        else { throw .malformed }
        return offset
    }
}

extension [UInt8] {
    /// The bits of up to 8 bytes, the first of them the highest; the bytes must be there.
    func bits(at offset: Int, width: Int) -> UInt64 {
        self[offset..<offset + width].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The same as a count or an offset, unless it is too large to be one.
    func number(at offset: Int, width: Int) -> Int? { Int(exactly: bits(at: offset, width: width)) }
}
