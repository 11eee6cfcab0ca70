// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Eight bytes stored inline: a truncated digest or a random tag.
package struct Bytes8: Hashable, Sendable {
    private var word: UInt64

    package static let zero = Self(word: 0)
    package static let count = 8

    private init(word: UInt64) { self.word = word }

    /// Stores a number as little-endian bytes.
    package init(_ number: UInt64) { word = number.littleEndian }

    /// Copies 8 bytes; `nil` for any other count.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.count else { return nil }
        word = unsafe bytes.loadUnaligned(as: UInt64.self)
    }

    /// Generates 8 random bytes with the system's generator.
    package static func random() -> Self {
        var generator = SystemRandomNumberGenerator()
        return Self(word: generator.next())
    }

    /// The bytes as a little-endian number.
    package var number: UInt64 { UInt64(littleEndian: word) }

    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe Swift.withUnsafeBytes(of: self) { unsafe body($0) }
    }

    package var bytes: [UInt8] { unsafe withBytes { unsafe Array($0) } }
}

/// Sixteen bytes stored inline: an item or store identifier, or a truncated digest.
package struct Bytes16: Hashable, Sendable {
    private var high: UInt64
    private var low: UInt64

    package static let zero = Self(high: 0, low: 0)
    package static let count = 16

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package init(_ first: Bytes8, _ second: Bytes8) {
        high = first.number.littleEndian
        low = second.number.littleEndian
    }

    /// Copies 16 bytes; `nil` for any other count.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.count else { return nil }
        high = unsafe bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        low = unsafe bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    }

    package init?(_ data: Data) {
        guard let value = unsafe data.withUnsafeBytes({ unsafe Self($0) }) else { return nil }
        self = value
    }

    /// Lets the closure fill the bytes.
    package init(filling fill: (UnsafeMutablePointer<UInt8>) -> Void) {
        self = .zero
        unsafe withUnsafeMutablePointer(to: &self) { value in
            unsafe value.withMemoryRebound(to: UInt8.self, capacity: Self.count) { unsafe fill($0) }
        }
    }

    /// Generates 16 random bytes with the system's generator.
    package static func random() -> Self {
        var generator = SystemRandomNumberGenerator()
        return Self(high: generator.next(), low: generator.next())
    }

    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe Swift.withUnsafeBytes(of: self) { unsafe body($0) }
    }

    package var data: Data { unsafe withBytes { unsafe Data($0) } }

    package var bytes: [UInt8] { unsafe withBytes { unsafe Array($0) } }

    package var firstHalf: Bytes8 { Bytes8(UInt64(littleEndian: high)) }

    package var secondHalf: Bytes8 { Bytes8(UInt64(littleEndian: low)) }
}

/// Thirty-two bytes stored inline: a digest.
package struct Bytes32: Hashable, Sendable {
    private var first: Bytes16
    private var second: Bytes16

    package static let zero = Self(first: .zero, second: .zero)
    package static let count = 32

    private init(first: Bytes16, second: Bytes16) {
        self.first = first
        self.second = second
    }

    /// Copies 32 bytes; `nil` for any other count.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.count,
            let first = unsafe Bytes16(UnsafeRawBufferPointer(rebasing: bytes[..<16])),
            let second = unsafe Bytes16(UnsafeRawBufferPointer(rebasing: bytes[16...]))
        else { return nil }
        self.first = first
        self.second = second
    }

    package init?(_ data: Data) {
        guard let value = unsafe data.withUnsafeBytes({ unsafe Self($0) }) else { return nil }
        self = value
    }

    /// Lets the closure fill the bytes.
    package init(filling fill: (UnsafeMutablePointer<UInt8>) -> Void) {
        self = .zero
        unsafe withUnsafeMutablePointer(to: &self) { value in
            unsafe value.withMemoryRebound(to: UInt8.self, capacity: Self.count) { unsafe fill($0) }
        }
    }

    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe Swift.withUnsafeBytes(of: self) { unsafe body($0) }
    }

    package var bytes: [UInt8] { unsafe withBytes { unsafe Array($0) } }

    /// Generates 32 random bytes with the system's generator.
    package static func random() -> Self { Self(first: .random(), second: .random()) }

    /// The first sixteen bytes.
    package var truncated: Bytes16 { first }

    /// The first eight bytes.
    package var truncatedTo8: Bytes8 { first.firstHalf }
}
