// SPDX-License-Identifier: Apache-2.0

#if KeePass
/// Reads the numbers and fields of a KeePass database in order from a byte array.
struct LittleEndianReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func take(_ count: Int) throws(KeePassError) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw .truncated }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) throws(KeePassError) -> Number {
        try take(Number.bitWidth / 8).reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    /// Reads a length of 32 bits and that many bytes.
    mutating func counted() throws(KeePassError) -> ArraySlice<UInt8> {
        try take(Int(number(UInt32.self)))
    }

    /// Reads a field of a header; `nil` for the field that ends the header.
    mutating func field() throws(KeePassError) -> (identifier: UInt8, value: ArraySlice<UInt8>)? {
        let identifier = try number(UInt8.self)
        let value = try counted()
        return identifier == 0 ? nil : (identifier, value)
    }
}
#endif
