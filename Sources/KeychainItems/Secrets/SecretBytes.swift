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

/// The bytes of a secret, overwritten with zeros on release.
///
/// Copies share the bytes, which are overwritten when the last copy is released. No description, mirror or
/// error shows them. Values made from them, such as a `String`, are in ordinary memory, which is not
/// overwritten.
public struct SecretBytes: Sendable {
    private let storage: Storage

    /// Creates a secret by copying bytes.
    ///
    /// - Parameter bytes: The bytes. The original is not overwritten.
    public init(_ bytes: some Collection<UInt8>) {
        storage = unsafe Storage(count: bytes.count) { buffer in unsafe buffer.copyBytes(from: bytes) }
    }

    /// Creates a secret from the UTF-8 bytes of a string.
    ///
    /// - Parameter string: The string. The original is not overwritten.
    public init(_ string: String) {
        var string = string
        storage = string.withUTF8 { utf8 in
            unsafe Storage(count: utf8.count) { buffer in
                unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(utf8))
            }
        }
    }

    /// Creates a secret by copying the bytes of a buffer.
    ///
    /// - Parameter bytes: The buffer. It is not overwritten.
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

    /// Whether the secret is empty.
    public var isEmpty: Bool { count == 0 }

    /// Calls a closure with the bytes of the secret.
    ///
    /// - Parameter body: A closure. The buffer is valid only while it runs.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(storage.buffer))
    }

    /// The same bytes as `Data`, shared with this secret.
    ///
    /// They are overwritten when both are released. Foundation stores up to 14 bytes inline, and these are
    /// not overwritten.
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
    /// Memory that is overwritten with zeros before it is released.
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
    /// Compares two secrets in constant time.
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
    /// The number of bytes, but not their values.
    public var description: String { "[\(count) secret bytes]" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
