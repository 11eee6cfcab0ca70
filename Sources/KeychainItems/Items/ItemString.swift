// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A string attribute of an item, or the bytes of one that is no UTF-8.
///
/// Some programs store names as bytes. The keychain compares names by their bytes, and so does this type: two spellings
/// of *é* differ.
public struct ItemString: Sendable {
    let value: AttributeValue

    init(_ value: AttributeValue) { self.value = value }

    /// Takes a string.
    public init(_ string: String) { value = .text(string) }

    /// Takes bytes, of whatever encoding.
    public init(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        value = String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .data(Data(bytes))
    }

    /// The bytes: UTF-8, if it is a string.
    public var bytes: [UInt8] { value.canonicalBytes }

    /// The string; `nil` for bytes that are no UTF-8.
    public var string: String? {
        if case .text(let string) = value { string } else { String(validating: bytes, as: UTF8.self) }
    }
}

extension ItemString: Hashable {
    /// Whether two strings have the same bytes.
    public static func == (left: Self, right: Self) -> Bool {
        left.value == right.value || left.bytes == right.bytes
    }

    /// Feeds the bytes to a hasher.
    public func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension ItemString: ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
    /// Takes a string.
    public init(stringLiteral value: String) { self.init(value) }
}

extension ItemString: CustomStringConvertible {
    /// The string; bytes that are no UTF-8 are replaced by U+FFFD.
    public var description: String { string ?? String(decoding: bytes, as: UTF8.self) }
}
