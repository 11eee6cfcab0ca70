// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The bytes of an item's value, overwritten with zeros on release.
///
/// Copies share one allocation. Unlike ``SecretBytes``, a buffer is not in locked pages, because mapping and locking
/// pages for each value would make frequent reads slow.
@safe
package struct SecretBuffer: Sendable {
    @usableFromInline nonisolated(unsafe) let storage: SecretStorage

    /// Allocates memory of `capacity` bytes and calls the closure to fill it.
    ///
    /// The closure returns the size of the value at the start of the memory, or `nil`, which makes the
    /// initializer fail.
    @inlinable package init?(
        capacity: Int,
        filling fill: (UnsafeMutableRawBufferPointer) -> Int?
    ) {
        let storage = SecretStorage.make(capacity)
        let count = unsafe storage.withUnsafeMutablePointerToElements {
            unsafe fill(UnsafeMutableRawBufferPointer(start: $0, count: capacity))
        }
        guard let count else { return nil }
        // Use a pointer: an access to the property would be checked for exclusivity at run time.
        unsafe storage.withUnsafeMutablePointerToHeader { unsafe $0.pointee.count = count }
        unsafe self.storage = storage
    }

    @inlinable package init(count: Int, filling fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let storage = SecretStorage.make(count)
        unsafe storage.withUnsafeMutablePointerToElements {
            unsafe fill(UnsafeMutableRawBufferPointer(start: $0, count: count))
        }
        unsafe self.storage = storage
    }

    /// Copies bytes.
    ///
    /// The caller must erase the source.
    @inlinable package init(copying bytes: UnsafeRawBufferPointer) {
        unsafe self.init(count: bytes.count) { unsafe $0.copyMemory(from: bytes) }
    }

    package init(_ bytes: some Collection<UInt8>) {
        unsafe self.init(count: bytes.count) { unsafe $0.copyBytes(from: bytes) }
    }

    package init(_ bytes: [UInt8]) {
        unsafe self = bytes.withUnsafeBytes { unsafe Self(copying: $0) }
    }

    /// Copies bytes and erases the source in place if its storage is not shared.
    package init(moving bytes: inout [UInt8]) {
        unsafe self = bytes.withUnsafeBytes { unsafe Self(copying: $0) }
        bytes.wipe()
        bytes = []
    }

    package init() { unsafe self.init(count: 0) { _ in } }

    @inlinable package var count: Int {
        unsafe storage.withUnsafeMutablePointerToHeader { unsafe $0.pointee.count }
    }

    @inlinable package var isEmpty: Bool { count == 0 }

    @inlinable package func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe storage.withUnsafeMutablePointers { header, bytes throws(Failure) in
            unsafe try body(UnsafeRawBufferPointer(start: bytes, count: header.pointee.count))
        }
    }

    /// The address of the bytes, valid as long as a copy of the buffer exists.
    package var start: UnsafeRawPointer {
        unsafe storage.withUnsafeMutablePointerToElements { UnsafeRawPointer($0) }
    }

    /// A copy in ordinary memory, which is not erased.
    package var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}

extension SecretBuffer: Hashable {
    /// Compares buffers of equal size in constant time.
    package static func == (left: Self, right: Self) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe left.withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in
                var difference: UInt8 = 0
                for index in left.indices { unsafe difference |= left[index] ^ right[index] }
                return difference == 0
            }
        }
    }

    package func hash(into hasher: inout Hasher) {
        unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension SecretBuffer: CustomStringConvertible, CustomReflectable {
    package var description: String { "[\(count) secret bytes]" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The allocation of a ``SecretBuffer``: the sizes, followed by the bytes.
@usableFromInline
final class SecretStorage: ManagedBuffer<SecretStorage.Header, UInt8> {
    @usableFromInline
    struct Header {
        /// The size of the allocation, all of which is erased.
        @usableFromInline let capacity: Int
        /// The size of the value at the start of the allocation.
        @usableFromInline var count: Int

        @inlinable init(capacity: Int, count: Int) {
            self.capacity = capacity
            self.count = count
        }
    }

    @inlinable static func make(_ capacity: Int) -> SecretStorage {
        let storage = Self.create(minimumCapacity: capacity) { _ in
            Header(capacity: capacity, count: capacity)
        }
        return unsafe unsafeDowncast(storage, to: SecretStorage.self)
    }

    deinit {
        unsafe withUnsafeMutablePointers { header, bytes in
            unsafe erase(bytes, header.pointee.capacity)
        }
    }
}

/// Overwrites memory with zeros; the compiler cannot optimize this away.
private func erase(_ start: UnsafeMutableRawPointer, _ count: Int) {
    #if canImport(Darwin)
    _ = unsafe memset_s(start, count, 0, count)
    #else
    unsafe explicit_bzero(start, count)
    #endif
}

extension [UInt8] {
    /// Overwrites the bytes in place.
    ///
    /// The storage must not be shared.
    package mutating func wipe() {
        unsafe withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe erase(start, buffer.count)
        }
    }
}
