// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A value as a caller's dictionary holds it, before the expected kind decides what it means.
package enum SuppliedValue: Sendable {
    case boolean(Bool)
    case number(Int64)
    /// A number that is not integral.
    case fraction
    case text(String)
    case data(Data)
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    case uuid(UUID)
    case null
    /// An array, a dictionary or any other object.
    case other
}

/// The kinds of attribute: what they accept and how they compare.
package enum AttributeKind: Sendable, CaseIterable {
    /// Data, string or number, kept in the type supplied, compared by bytes alone (Apple's “Blob”).
    case blob
    /// Data; a string becomes its UTF-8 bytes, a number its 4 little-endian bytes.
    case data
    /// A number; a Boolean becomes 0 or 1, a string that is a number's own rendering becomes that number,
    /// and any other string stays a string (`"htps"`).
    case number
    /// A date and nothing else.
    case date
    /// A string; data is decoded as UTF-8.
    case string
    /// 20 bytes of data.
    case sha1
    /// Data of 0 or 16 bytes; null is empty.
    case uuid
    /// An access control object, which travels apart from the attributes.
    case accessControl
}

extension AttributeKind {
    /// Converts a supplied value to the one that is stored.
    ///
    /// - Throws: `invalidParameter` with the attribute's name where the kind does not accept the value;
    ///   `undecodable` for a number that is not integral. Source: Apple's published Security sources.
    package func convert(
        _ value: SuppliedValue,
        for attribute: Attribute
    ) throws(StatusError) -> AttributeValue {
        if case .fraction = value {
            throw StatusError(.undecodable, .notAnInteger, attribute: attribute)
        }
        let stored: AttributeValue? =
            switch self {
            case .blob: Self.blob(value)
            case .data: Self.data(value)
            case .number: Self.number(value)
            case .date: if case .date(let seconds) = value { .date(seconds) } else { nil }
            case .string: Self.string(value)
            case .sha1: if case .data(let data) = value, data.count == 20 { .data(data) } else { nil }
            case .uuid: Self.uuid(value)
            case .accessControl: nil
            }
        guard let stored else {
            throw StatusError(.invalidParameter, .wrongValueType, attribute: attribute)
        }
        return stored
    }

    /// Whether two values of this kind are the same to a query and to uniqueness.
    package func equal(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
        guard self == .blob else { return left == right }
        if left == right { return true }
        return unsafe left.withCanonicalBytes { left in
            unsafe right.withCanonicalBytes { right in unsafe left.hasSameBytes(as: right) }
        }
    }

    private static func blob(_ value: SuppliedValue) -> AttributeValue? {
        switch value {
        case .text(let text): .text(text)
        case .data(let data): .data(data)
        case .number(let number): .number(number)
        default: nil
        }
    }

    private static func data(_ value: SuppliedValue) -> AttributeValue? {
        switch value {
        case .data(let data): .data(data)
        case .text(let text): .data(Data(text.utf8))
        case .number(let number): .data(Data(AttributeValue.number(number).canonicalBytes))
        default: nil
        }
    }

    private static func number(_ value: SuppliedValue) -> AttributeValue? {
        switch value {
        case .number(let number): .number(number)
        case .boolean(let flag): .number(flag ? 1 : 0)
        case .text(let text):
            if let number = Int32(text), String(number).utf8.elementsEqual(text.utf8) {
                .number(Int64(number))
            } else {
                .text(text)
            }
        default: nil
        }
    }

    private static func string(_ value: SuppliedValue) -> AttributeValue? {
        switch value {
        case .text(let text): .text(text)
        // Foundation's initializer would drop a byte order mark; two groups may differ in nothing else.
        case .data(let data): String(validating: data, as: UTF8.self).map { .text($0) }
        case .uuid(let uuid): .text(uuid.uuidString)
        default: nil
        }
    }

    private static func uuid(_ value: SuppliedValue) -> AttributeValue? {
        switch value {
        case .data(let data) where data.isEmpty || data.count == 16: .data(data)
        case .null: .data(Data())
        default: nil
        }
    }
}
