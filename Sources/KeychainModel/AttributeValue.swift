// SPDX-License-Identifier: Apache-2.0

/// The stored value of an attribute.
///
/// Two values are equal if they have the same type and the same bytes. `String`'s own equality is Unicode canonical
/// equivalence, under which two different accounts could be equal.
package enum AttributeValue: Sendable {
    case string(String)
    case data([UInt8])
    case number(Int64)
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
}

extension AttributeValue: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)):
            unsafe left.withBytes { left in
                unsafe right.withBytes { right in unsafe left.hasSameBytes(as: right) }
            }
        case (.data(let left), .data(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.date(let left), .date(let right)): left.bitPattern == right.bitPattern
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        unsafe withCanonicalBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension AttributeValue {
    /// The number that identifies the value's type on disk.
    @inlinable package var typeCode: UInt8 {
        switch self {
        case .string: 1
        case .data: 2
        case .number: 3
        case .date: 4
        }
    }

    /// Calls the closure with the bytes used for encryption, for digests and in the primary key.
    ///
    /// A string is UTF-8, data is unchanged, a number is 4 little-endian bytes, or 8 if it does not fit, and
    /// a date is its seconds as 8 little-endian bytes.
    package func withCanonicalBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe passCanonicalBytes(to: body)
    }

    /// Calls the closure with the canonical bytes.
    ///
    /// This is faster than the generic overload, which is not specialized for callers in other modules.
    package func withCanonicalBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        unsafe passCanonicalBytes(to: body)
    }

    private func passCanonicalBytes<Result>(to body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch self {
        case .string(let text):
            return unsafe text.withBytes { unsafe body($0) }
        case .data(let data):
            return unsafe data.withUnsafeBytes { unsafe body($0) }
        case .number(let number):
            if let small = Int32(exactly: number) {
                return unsafe Swift.withUnsafeBytes(of: small.littleEndian) { unsafe body($0) }
            }
            return unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe body($0) }
        case .date(let seconds):
            return unsafe Swift.withUnsafeBytes(of: seconds.bitPattern.littleEndian) { unsafe body($0) }
        }
    }

    @inlinable package var byteCount: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        case .number(let number): Int32(exactly: number) == nil ? 8 : 4
        case .date: 8
        }
    }

    package var canonicalBytes: [UInt8] { unsafe withCanonicalBytes { unsafe Array($0) } }

    /// Decodes a value; `nil` if the type code is unknown or the type never has this number of bytes.
    package init?(typeCode: UInt8, canonicalBytes bytes: UnsafeRawBufferPointer) {
        switch (typeCode, bytes.count) {
        case (1, _):
            // Invalid UTF-8 would be replaced, but cannot occur, because the bytes are authenticated.
            self = unsafe .string(String(decoding: bytes, as: UTF8.self))
        case (2, _): self = unsafe .data(Array(bytes))
        case (3, 4): self = unsafe .number(Int64(Int32(littleEndian: bytes.loadUnaligned(as: Int32.self))))
        case (3, 8): self = unsafe .number(Int64(littleEndian: bytes.loadUnaligned(as: Int64.self)))
        case (4, 8):
            self = unsafe .date(
                Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)))
            )
        default: return nil
        }
    }
}

extension String {
    /// Calls the closure with the UTF-8 bytes; copies them only if the string is not a native Swift string.
    @inline(__always)
    fileprivate func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        // `withUTF8` is mutating, so using it would require a copy of the string.
        let result = unsafe utf8.withContiguousStorageIfAvailable { unsafe body(UnsafeRawBufferPointer($0)) }
        if let result { return result }
        var copy = self
        return copy.withUTF8 { unsafe body(UnsafeRawBufferPointer($0)) }
    }
}

extension UnsafeRawBufferPointer {
    /// Returns whether two buffers contain the same bytes.
    ///
    /// Eight bytes are compared at a time, because comparing single bytes makes searches noticeably slower.
    func hasSameBytes(as other: Self) -> Bool {
        guard count == other.count else { return false }
        var place = 0
        while place + 8 <= count {
            let (left, right) = unsafe (
                loadUnaligned(fromByteOffset: place, as: UInt64.self),
                other.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            )
            guard left == right else { return false }
            place += 8
        }
        while place < count {
            guard unsafe self[place] == other[place] else { return false }
            place += 1
        }
        return true
    }
}
