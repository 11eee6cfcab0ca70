// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A string attribute of an item, or bytes that are not UTF-8.
///
/// Some programs store names as bytes. The keychain and this type compare names by their bytes: two Unicode
/// encodings of *é* differ.
public struct ItemString: Sendable {
    let value: AttributeValue

    init(_ value: AttributeValue) { self.value = value }

    /// Creates a value from a string.
    public init(_ string: String) { value = .string(string) }

    /// Creates a value from bytes in any encoding.
    public init(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        value = String(validating: bytes, as: UTF8.self).map { .string($0) } ?? .data(Array(bytes))
    }

    /// The bytes of the attribute; UTF-8 for a string.
    public var bytes: [UInt8] { value.canonicalBytes }

    /// The string; `nil` if the bytes are not valid UTF-8.
    public var string: String? {
        if case .string(let string) = value { string } else { String(validating: bytes, as: UTF8.self) }
    }
}

extension ItemString: Hashable {
    /// Whether two values have the same bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.value == right.value || left.bytes == right.bytes
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension ItemString: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Creates a value from a string literal.
    public init(stringLiteral value: String) { self.init(value) }
}

extension ItemString: CustomStringConvertible {
    /// The string, with invalid UTF-8 replaced by U+FFFD.
    public var description: String { string ?? String(decoding: bytes, as: UTF8.self) }
}
