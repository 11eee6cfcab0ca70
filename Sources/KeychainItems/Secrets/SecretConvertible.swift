// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A type whose values are kept as bytes, without an encoder.
///
/// Other types are kept as JSON, under a ``SecretKey`` of a `Codable` type.
public protocol SecretConvertible: Sendable {
    /// Makes the value of the bytes of a secret; `nil` for bytes that are no such value.
    init?(secret: SecretBytes)

    /// The bytes of the value.
    var secret: SecretBytes { get }
}

extension SecretBytes: SecretConvertible {
    /// The secret itself.
    public init?(secret: SecretBytes) { self = secret }

    /// The secret itself.
    public var secret: SecretBytes { self }
}

extension String: SecretConvertible {
    /// Decodes UTF-8; `nil` for bytes that are none.
    public init?(secret: SecretBytes) {
        guard let string = unsafe secret.withUnsafeBytes({ unsafe String(validating: $0, as: UTF8.self) })
        else { return nil }
        self = string
    }

    /// The UTF-8 bytes.
    public var secret: SecretBytes { SecretBytes(self) }
}

extension Data: SecretConvertible {
    /// Copies the bytes.
    public init?(secret: SecretBytes) { self = unsafe secret.withUnsafeBytes { unsafe Data($0) } }

    /// A copy of the bytes.
    public var secret: SecretBytes { SecretBytes(self) }
}

extension [UInt8]: SecretConvertible {
    /// Copies the bytes.
    public init?(secret: SecretBytes) { self = unsafe secret.withUnsafeBytes { unsafe Array($0) } }

    /// A copy of the bytes.
    public var secret: SecretBytes { SecretBytes(self) }
}
