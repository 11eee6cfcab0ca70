// SPDX-License-Identifier: Apache-2.0

// Functions that the store calls for each column of a row are inlinable; otherwise, the compiler could neither inline
// nor specialize them in another module. Generic functions that the optimizer would nevertheless call unspecialized are
// marked `@inline(__always)`.

/// Eight bytes stored inline: a truncated digest or a random tag.
package struct Bytes8: Hashable, Sendable {
    @usableFromInline var word: UInt64

    @inlinable package static var zero: Self { Self(word: 0) }
    @inlinable package static var count: Int { 8 }

    @inlinable init(word: UInt64) { self.word = word }

    /// Stores a number as little-endian bytes.
    @inlinable package init(_ number: UInt64) { word = number.littleEndian }

    @inlinable package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.count else { return nil }
        word = unsafe bytes.loadUnaligned(as: UInt64.self)
    }

    package static func random() -> Self {
        var generator = SystemRandomNumberGenerator()
        return Self(word: generator.next())
    }

    /// The bytes as a little-endian number.
    @inlinable package var number: UInt64 { UInt64(littleEndian: word) }

    @inlinable @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe Swift.withUnsafeBytes(of: self) { unsafe body($0) }
    }

    @inlinable package var bytes: [UInt8] { unsafe withBytes { unsafe Array($0) } }
}

/// Sixteen bytes stored inline: an item or store identifier, or a truncated digest.
package struct Bytes16: Hashable, Sendable {
    @usableFromInline var high: UInt64
    @usableFromInline var low: UInt64

    @inlinable package static var zero: Self { Self(high: 0, low: 0) }
    @inlinable package static var count: Int { 16 }

    @inlinable init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    @inlinable package init(_ first: Bytes8, _ second: Bytes8) {
        high = first.number.littleEndian
        low = second.number.littleEndian
    }

    @inlinable package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.count else { return nil }
        high = unsafe bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        low = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    }

    package init?(_ bytes: [UInt8]) {
        guard let value = unsafe bytes.withUnsafeBytes({ unsafe Self($0) }) else { return nil }
        self = value
    }

    /// Creates a value with the bytes that the closure writes; before the call, they are zero.
    @inlinable package init(filling fill: (UnsafeMutablePointer<UInt8>) -> Void) {
        self = .zero
        unsafe withUnsafeMutablePointer(to: &self) { value in
            unsafe value.withMemoryRebound(to: UInt8.self, capacity: Self.count) { unsafe fill($0) }
        }
    }

    package static func random() -> Self {
        var generator = SystemRandomNumberGenerator()
        return Self(high: generator.next(), low: generator.next())
    }

    @inlinable @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe Swift.withUnsafeBytes(of: self) { unsafe body($0) }
    }

    @inlinable package var bytes: [UInt8] { unsafe withBytes { unsafe Array($0) } }

    /// The bytes as a UUID in capital hexadecimal digits.
    package var uuidString: String {
        var text = ""
        text.reserveCapacity(36)
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append("-") }
            for digit in [byte >> 4, byte & 15] { text.append(Self.digits[Int(digit)]) }
        }
        return text
    }

    private static let digits = Array("0123456789ABCDEF")

    @inlinable package var firstHalf: Bytes8 { Bytes8(UInt64(littleEndian: high)) }

    @inlinable package var secondHalf: Bytes8 { Bytes8(UInt64(littleEndian: low)) }
}

/// Thirty-two bytes stored inline: a digest.
package struct Bytes32: Hashable, Sendable {
    @usableFromInline var first: Bytes16
    @usableFromInline var second: Bytes16

    @inlinable package static var zero: Self { Self(first: .zero, second: .zero) }
    @inlinable package static var count: Int { 32 }

    @inlinable init(first: Bytes16, second: Bytes16) {
        self.first = first
        self.second = second
    }

    /// Concatenates 8 bytes, one byte, and the first 23 bytes of another value.
    @inlinable package init(_ prefix: Bytes8, _ byte: UInt8, _ rest: Bytes32) {
        let words = (rest.first.firstHalf.number, rest.first.secondHalf.number, rest.second.firstHalf.number)
        first = Bytes16(prefix, Bytes8(UInt64(byte) | words.0 << 8))
        second = Bytes16(Bytes8(words.0 >> 56 | words.1 << 8), Bytes8(words.1 >> 56 | words.2 << 8))
    }

    @inlinable package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.count,
            let first = unsafe Bytes16(UnsafeRawBufferPointer(rebasing: bytes[..<16])),
            let second = unsafe Bytes16(UnsafeRawBufferPointer(rebasing: bytes[16...]))
        else { return nil }
        self.first = first
        self.second = second
    }

    package init?(_ bytes: [UInt8]) {
        guard let value = unsafe bytes.withUnsafeBytes({ unsafe Self($0) }) else { return nil }
        self = value
    }

    @inlinable package init(filling fill: (UnsafeMutablePointer<UInt8>) -> Void) {
        self = .zero
        unsafe withUnsafeMutablePointer(to: &self) { value in
            unsafe value.withMemoryRebound(to: UInt8.self, capacity: Self.count) { unsafe fill($0) }
        }
    }

    @inlinable @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe Swift.withUnsafeBytes(of: self) { unsafe body($0) }
    }

    @inlinable package var bytes: [UInt8] { unsafe withBytes { unsafe Array($0) } }

    package static func random() -> Self { Self(first: .random(), second: .random()) }

    @inlinable package var truncated: Bytes16 { first }

    @inlinable package var truncatedTo8: Bytes8 { first.firstHalf }
}
