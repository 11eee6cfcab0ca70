// SPDX-License-Identifier: Apache-2.0

/// Encodes the body of a message, which may contain secrets.
///
/// Numbers are little-endian. Call ``erase()`` after sending the bytes.
package struct WireWriter: Sendable {
    package private(set) var bytes: [UInt8]

    package init(capacity: Int = 512) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    package mutating func integer<Number: FixedWidthInteger>(_ number: Number) {
        grow(by: MemoryLayout<Number>.size)
        unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    package mutating func flag(_ value: Bool) { integer(value ? 1 : 0 as UInt8) }

    /// Appends bytes without their count, which the reader knows.
    package mutating func fixed(_ value: UnsafeRawBufferPointer) {
        grow(by: value.count)
        unsafe bytes.append(contentsOf: value)
    }

    /// Appends the number of bytes, and then the bytes.
    package mutating func sized(_ value: UnsafeRawBufferPointer) {
        integer(UInt32(truncatingIfNeeded: value.count))
        unsafe fixed(value)
    }

    package mutating func sized(_ value: [UInt8]) { unsafe value.withUnsafeBytes { unsafe sized($0) } }

    package mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { unsafe sized(UnsafeRawBufferPointer($0)) }
    }

    package mutating func value<Value: WireValue>(_ value: Value) { value.encode(into: &self) }

    /// Writes the code of an enumeration case, and then its associated value.
    package mutating func value<Value: WireValue>(_ value: Value, code: UInt8) {
        integer(code)
        self.value(value)
    }

    package mutating func optional<Value: WireValue>(_ value: Value?) {
        flag(value != nil)
        if let value { self.value(value) }
    }

    package mutating func list<Value: WireValue>(_ values: [Value]) {
        integer(UInt32(truncatingIfNeeded: values.count))
        for value in values { self.value(value) }
    }

    mutating func replace(at offset: Int, with replacement: [UInt8]) {
        bytes.replaceSubrange(offset..<offset + replacement.count, with: replacement)
    }

    /// Overwrites all bytes with zeros and removes them.
    package mutating func erase() {
        bytes.wipe()
        bytes.removeAll(keepingCapacity: true)
    }

    private mutating func grow(by count: Int) {
        bytes.growErasing(by: count)
    }
}

extension [UInt8] {
    /// Makes room for more bytes; erases the previous allocation if the bytes must move.
    package mutating func growErasing(by count: Int) {
        guard self.count + count > capacity else { return }
        var larger: [UInt8] = []
        larger.reserveCapacity(Swift.max(capacity * 2, self.count + count))
        larger.append(contentsOf: self)
        swap(&larger, &self)
        larger.wipe()
    }
}
