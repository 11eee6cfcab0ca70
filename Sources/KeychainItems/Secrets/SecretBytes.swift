// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The bytes of a secret, overwritten with zeros when the last owner releases them.
///
/// Copies share the bytes. No description, mirror or error shows them. What is made of them, such as a `String`, is
/// ordinary memory, which nothing overwrites.
public struct SecretBytes: Sendable {
    private let storage: Storage

    /// Makes a secret of bytes, which are copied.
    public init(_ bytes: some Collection<UInt8>) {
        storage = unsafe Storage(count: bytes.count) { buffer in unsafe buffer.copyBytes(from: bytes) }
    }

    /// Makes a secret of the UTF-8 bytes of a string.
    public init(_ string: String) {
        var string = string
        storage = string.withUTF8 { utf8 in
            unsafe Storage(count: utf8.count) { buffer in
                unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(utf8))
            }
        }
    }

    /// Makes a secret of bytes, which are copied.
    public init(copying bytes: UnsafeRawBufferPointer) {
        storage = unsafe Storage(count: bytes.count) { buffer in unsafe buffer.copyMemory(from: bytes) }
    }

    package init(_ data: Data) {
        storage = unsafe data.withUnsafeBytes { bytes in
            unsafe Storage(count: bytes.count) { buffer in unsafe buffer.copyMemory(from: bytes) }
        }
    }

    /// The number of bytes.
    public var count: Int { unsafe storage.buffer.count }

    /// Whether there are no bytes.
    public var isEmpty: Bool { count == 0 }

    /// Calls the closure with the bytes, which are valid only for as long as it runs.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(storage.buffer))
    }

    /// The same bytes for a request; they are overwritten when both have released them.
    ///
    /// Foundation keeps up to 14 bytes in the value itself, which nothing overwrites.
    package var data: Data {
        guard let start = unsafe storage.buffer.baseAddress, count > 0 else { return Data() }
        return unsafe Data(
            bytesNoCopy: start,
            count: count,
            deallocator: .custom { [storage] _, _ in withExtendedLifetime(storage) {} }
        )
    }
}

extension SecretBytes {
    /// Memory that is overwritten before it is released.
    @safe
    private final class Storage: Sendable {
        nonisolated(unsafe) let buffer: UnsafeMutableRawBufferPointer

        init(count: Int, filling fill: (UnsafeMutableRawBufferPointer) -> Void) {
            unsafe buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
            unsafe fill(buffer)
        }

        deinit {
            if let start = unsafe buffer.baseAddress { unsafe Self.overwrite(start, buffer.count) }
            unsafe buffer.deallocate()
        }

        private static func overwrite(_ start: UnsafeMutableRawPointer, _ count: Int) {
            #if canImport(Darwin)
            _ = unsafe memset_s(start, count, 0, count)
            #else
            unsafe explicit_bzero(start, count)
            #endif
        }
    }
}

extension SecretBytes: Equatable {
    /// Whether two secrets have the same bytes; takes the same time wherever they differ.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.count == right.count else { return false }
        return unsafe left.withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in
                var difference: UInt8 = 0
                for index in 0..<left.count { unsafe difference |= left[index] ^ right[index] }
                return difference == 0
            }
        }
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of bytes, and none of them.
    public var description: String { "[\(count) secret bytes]" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
