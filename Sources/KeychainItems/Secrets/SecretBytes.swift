// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The bytes of a secret, overwritten with zeros on release.
///
/// Copies share the bytes, which are overwritten when the last copy is released. No description, mirror or
/// error shows them. Values made from them, such as a `String`, are in ordinary memory, which is not
/// overwritten.
public struct SecretBytes: Sendable {
    /// The bytes, in the type that requests and responses use, so that reading a secret does not copy them.
    package let buffer: SecretBuffer

    package init(_ buffer: SecretBuffer) { self.buffer = buffer }

    /// Creates a secret by copying bytes.
    ///
    /// - Parameter bytes: The bytes. The original is not overwritten.
    public init(_ bytes: some Collection<UInt8>) {
        buffer = SecretBuffer(bytes)
    }

    /// Creates a secret from the UTF-8 bytes of a string.
    ///
    /// - Parameter string: The string. The original is not overwritten.
    public init(_ string: String) {
        var string = string
        buffer = string.withUTF8 { unsafe SecretBuffer(copying: UnsafeRawBufferPointer($0)) }
    }

    /// Creates a secret by copying the bytes of a buffer.
    ///
    /// - Parameter bytes: The buffer. It is not overwritten.
    public init(copying bytes: UnsafeRawBufferPointer) {
        buffer = unsafe SecretBuffer(copying: bytes)
    }

    package init(_ data: Data) {
        buffer = unsafe data.withUnsafeBytes { unsafe SecretBuffer(copying: $0) }
    }

    /// The number of bytes.
    public var count: Int { buffer.count }

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
        try unsafe buffer.withUnsafeBytes(body)
    }

    /// The same bytes as `Data`, shared with this secret.
    ///
    /// The bytes are overwritten when both this secret and the `Data` are released. Foundation stores up to 14 bytes
    /// in the `Data` value itself, and this copy is not overwritten.
    package var data: Data {
        guard count > 0 else { return Data() }
        return unsafe Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: buffer.start),
            count: count,
            deallocator: .custom { [buffer] _, _ in withExtendedLifetime(buffer) {} }
        )
    }
}

extension SecretBytes: Equatable {
    /// Compares two secrets in constant time.
    public static func == (left: Self, right: Self) -> Bool {
        left.buffer == right.buffer
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
