// SPDX-License-Identifier: Apache-2.0

/// A value that has exactly one encoding in messages.
package protocol WireValue {
    func encode(into writer: inout WireWriter)
    /// - Throws: `malformedMessage` for bytes that ``encode(into:)`` does not produce; `dataTooLarge` if the lists of
    ///   the message have too many entries.
    init(from reader: inout WireReader) throws(StatusError)
}

/// Decodes the body of a message from an untrusted sender.
///
/// Every length is compared with the number of remaining bytes before it is used.
package struct WireReader {
    private let bytes: [UInt8]
    private var offset: Int
    /// The number of entries that the lists still to be read may have together.
    private var entries: Int

    package init(_ bytes: [UInt8], from offset: Int = 0, entries: Int = .max) {
        self.bytes = bytes
        self.offset = offset
        self.entries = entries
    }

    package static var malformed: StatusError { StatusError(.undecodable, .malformedMessage) }

    package var remaining: Int { bytes.count - offset }

    package mutating func integer<Number: FixedWidthInteger>(
        _: Number.Type = Number.self
    ) throws(StatusError) -> Number {
        let size = MemoryLayout<Number>.size
        let start = try advance(by: size)
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe Number(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: Number.self))
        }
    }

    package mutating func flag() throws(StatusError) -> Bool {
        switch try integer(UInt8.self) {
        case 0: false
        case 1: true
        default: throw Self.malformed
        }
    }

    package mutating func fixed(_ count: Int) throws(StatusError) -> [UInt8] {
        let start = try advance(by: count)
        return Array(bytes[start..<start + count])
    }

    /// Reads a byte count and then that many bytes.
    package mutating func sized(atMost limit: Int = .max) throws(StatusError) -> [UInt8] {
        let count = Int(try integer(UInt32.self))
        guard count <= limit else { throw Self.malformed }
        return try fixed(count)
    }

    /// Reads a string, which must be valid UTF-8: a repaired string would be a different value.
    package mutating func string(atMost limit: Int = .max) throws(StatusError) -> String {
        let bytes = try sized(atMost: limit)
        guard let string = String(validating: bytes, as: UTF8.self) else { throw Self.malformed }
        return string
    }

    /// Reads a secret into locked memory.
    package mutating func secret(atMost limit: Int) throws(StatusError) -> SecretBytes {
        var bytes = try sized(atMost: limit)
        return SecretBytes(moving: &bytes)
    }

    package mutating func value<Value: WireValue>(
        _: Value.Type = Value.self
    ) throws(StatusError) -> Value { try Value(from: &self) }

    package mutating func optional<Value: WireValue>(
        _: Value.Type = Value.self
    ) throws(StatusError) -> Value? { try flag() ? try value() : nil }

    /// Reads a list; a count larger than the remaining bytes is an error, as each entry has at least one byte.
    ///
    /// A decoded entry may take several hundred times as much memory as its bytes in the message. The number of
    /// entries in all lists of an untrusted message is therefore limited.
    ///
    /// - Throws: `dataTooLarge` with `tooMuchWork` if the message's lists have too many entries together.
    package mutating func list<Value: WireValue>(
        of _: Value.Type = Value.self,
        atMost limit: Int = .max
    ) throws(StatusError) -> [Value] {
        let count = Int(try integer(UInt32.self))
        guard count <= min(limit, remaining) else { throw Self.malformed }
        guard count <= entries else { throw StatusError(.dataTooLarge, .tooMuchWork) }
        entries -= count
        var values: [Value] = []
        for _ in 0..<count { values.append(try value()) }
        return values
    }

    /// Checks that every byte has been read; throws otherwise.
    package func end() throws(StatusError) {
        guard remaining == 0 else { throw Self.malformed }
    }

    private mutating func advance(by count: Int) throws(StatusError) -> Int {
        guard count >= 0, count <= remaining else { throw Self.malformed }
        defer { offset += count }
        return offset
    }
}

extension WireReader {
    /// Decodes a value from all bytes of a message body; throws if bytes are left over.
    ///
    /// `entries` is the maximum number of entries that all lists in the bytes have together.
    package static func decode<Value: ~Copyable>(
        _ bytes: [UInt8],
        entries: Int = .max,
        _ body: (inout WireReader) throws(StatusError) -> Value
    ) throws(StatusError) -> Value {
        var reader = WireReader(bytes, entries: entries)
        let value = try body(&reader)
        try reader.end()
        return value
    }
}
