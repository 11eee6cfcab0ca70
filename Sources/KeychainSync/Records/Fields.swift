// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Appends big-endian fields of the protocol to an array of bytes.
package struct FieldWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> Number(shift)))
        }
    }

    package mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

    package mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    package mutating func append(_ value: Bytes16) { bytes.append(contentsOf: value.bytes) }

    package mutating func append(_ value: Bytes32) { bytes.append(contentsOf: value.bytes) }
}

/// Reads big-endian fields of the protocol; returns `nil` past the end.
package struct FieldReader {
    private let bytes: [UInt8]
    package private(set) var position = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var isAtEnd: Bool { position == bytes.count }

    /// The bytes that were read so far.
    package var prefix: [UInt8] { Array(bytes[..<position]) }

    package mutating func take(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= bytes.count - position else { return nil }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    package mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
        guard let bytes = take(Number.bitWidth / 8) else { return nil }
        return bytes.reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    package mutating func bytes16() -> Bytes16? { take(Bytes16.count).flatMap { Bytes16($0) } }

    package mutating func bytes32() -> Bytes32? { take(Bytes32.count).flatMap { Bytes32($0) } }

    /// Skips an expected string; returns whether the string comes next.
    package mutating func skip(_ text: String) -> Bool { take(text.utf8.count) == Array(text.utf8) }
}
