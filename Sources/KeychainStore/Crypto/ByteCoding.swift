// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Appends little-endian numbers, and bytes as they are, to an array of bytes.
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Makes room for more bytes, and erases the former memory if the bytes move.
    ///
    /// An array that grows by itself leaves its former memory unerased.
    mutating func reserve(_ count: Int) {
        let needed = bytes.count + count
        guard needed > bytes.capacity else { return }
        var grown: [UInt8] = []
        grown.reserveCapacity(max(needed, 2 * bytes.capacity))
        grown += bytes
        bytes.wipe()
        bytes = grown
    }

    package mutating func wipe() { bytes.wipe() }

    package mutating func append(_ byte: UInt8) { bytes.append(byte) }

    package mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    package mutating func append(_ value: Bytes8) {
        unsafe value.withBytes { unsafe bytes.append(contentsOf: $0) }
    }

    package mutating func append(_ value: Bytes16) {
        unsafe value.withBytes { unsafe bytes.append(contentsOf: $0) }
    }

    package mutating func append(_ value: Bytes32) {
        unsafe value.withBytes { unsafe bytes.append(contentsOf: $0) }
    }

    package mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

    package mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    package mutating func append(_ buffer: UnsafeRawBufferPointer) { unsafe bytes.append(contentsOf: buffer) }

    package mutating func append(zeros count: Int) {
        bytes.append(contentsOf: repeatElement(0, count: count))
    }
}

/// Writes little-endian numbers, and bytes as they are, to memory provided by the caller, such as the stack.
@safe
struct MemoryWriter {
    private let memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(_ memory: UnsafeMutableRawBufferPointer) { unsafe self.memory = memory }

    @inline(__always)
    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        let end = count + MemoryLayout<Number>.size
        unsafe precondition(end <= memory.count)
        unsafe memory.storeBytes(of: number.littleEndian, toByteOffset: count, as: Number.self)
        count = end
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        let end = count + bytes.count
        unsafe precondition(end <= memory.count)
        unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count..<end]).copyMemory(from: bytes)
        count = end
    }

    /// Skips bytes that are written later.
    @inline(__always)
    mutating func skip(_ bytes: Int) {
        unsafe precondition(count + bytes <= memory.count)
        count += bytes
    }
}

/// Reads little-endian numbers and bytes from a buffer; returns `nil` past its end.
@safe
package struct ByteReader {
    private let buffer: UnsafeRawBufferPointer
    private var position = 0

    package init(_ buffer: UnsafeRawBufferPointer) { unsafe self.buffer = buffer }

    package var remaining: Int { unsafe buffer.count - position }

    package mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= remaining else { return nil }
        defer { position += count }
        return unsafe UnsafeRawBufferPointer(rebasing: buffer[position..<position + count])
    }

    package mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
        guard let bytes = unsafe take(MemoryLayout<Number>.size) else { return nil }
        return unsafe Number(littleEndian: bytes.loadUnaligned(as: Number.self))
    }

    package mutating func bytes16() -> Bytes16? {
        guard let bytes = unsafe take(Bytes16.count) else { return nil }
        return unsafe Bytes16(bytes)
    }

    package mutating func bytes32() -> Bytes32? {
        guard let bytes = unsafe take(Bytes32.count) else { return nil }
        return unsafe Bytes32(bytes)
    }

    package mutating func bytes(_ count: Int) -> [UInt8]? {
        guard let bytes = unsafe take(count) else { return nil }
        return unsafe Array(bytes)
    }
}
