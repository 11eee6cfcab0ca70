// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A type that converts to and from the bytes of a secret.
///
/// To store other types, make them `Codable` and use a ``SecretKey``, which stores them as JSON.
public protocol SecretConvertible: Sendable {
    /// Creates a value from the bytes of a secret.
    ///
    /// Return `nil` if the bytes are not valid for the type.
    ///
    /// - Parameter secret: The bytes.
    init?(secret: SecretBytes)

    /// The bytes to store for this value.
    var secret: SecretBytes { get }
}

extension SecretBytes: SecretConvertible {
    /// Creates a copy of the secret, which shares its bytes.
    public init?(secret: SecretBytes) { self = secret }

    /// The secret itself.
    public var secret: SecretBytes { self }
}

extension String: SecretConvertible {
    /// Decodes UTF-8; `nil` if the bytes are not valid UTF-8.
    public init?(secret: SecretBytes) {
        guard let string = unsafe secret.withUnsafeBytes({ unsafe String(validating: $0, as: UTF8.self) })
        else { return nil }
        self = string
    }

    /// The UTF-8 bytes of the string.
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
