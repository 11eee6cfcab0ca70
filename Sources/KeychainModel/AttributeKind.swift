// SPDX-License-Identifier: Apache-2.0

/// A value from the caller's dictionary, before conversion to the attribute's type.
package enum SuppliedValue: Sendable {
    case boolean(Bool)
    case number(Int64)
    /// A number that is not an integer.
    case fraction
    case string(String)
    /// Data, which is erased on release because it may be the item's value.
    case data(SecretBuffer)
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    case uuid(Bytes16)
    case null
    /// An array, a dictionary or any other object.
    case other
}

/// The type of an attribute's value, which determines how values are converted and compared.
package enum AttributeKind: Sendable, CaseIterable {
    /// Data, string or number, stored in the supplied type and compared by bytes (Apple's "Blob").
    case blob
    /// Data. A string becomes its UTF-8 bytes, a number its 4 little-endian bytes, or 8 if it does not fit.
    case data
    /// A number.
    ///
    /// A Boolean becomes 0 or 1. A string that is the exact decimal form of a 32-bit number becomes that
    /// number; other strings stay strings (`"htps"`).
    case number
    /// A date; no other type is accepted.
    case date
    /// A string; data must be valid UTF-8, and a UUID becomes its hexadecimal form.
    case string
    /// 20 bytes of data.
    case sha1
    /// Data of 0 or 16 bytes; null becomes empty data.
    case uuid
    /// An access control, which is stored separately from the attributes and never converted.
    case accessControl
}

extension AttributeKind {
    /// Converts a supplied value to the stored value.
    ///
    /// - Throws: `invalidParameter` with the attribute if the value's type, size or encoding is not accepted;
    ///   `undecodable` for a number that is not an integer. Source: Apple's published Security sources.
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
            case .sha1: if case .data(let data) = value, data.count == 20 { .data(data.bytes) } else { nil }
            case .uuid: Self.uuid(value)
            case .accessControl: nil
            }
        guard let stored else {
            throw StatusError(.invalidParameter, .wrongValueType, attribute: attribute)
        }
        return stored
    }

    /// Returns whether queries and uniqueness checks treat two values as equal.
    package func equal(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
        guard self == .blob else { return left == right }
        if left == right { return true }
        return unsafe left.withCanonicalBytes { left in
            unsafe right.withCanonicalBytes { right in unsafe left.hasSameBytes(as: right) }
        }
    }

    private static func blob(_ value: SuppliedValue) -> AttributeValue? {
        switch value {
        case .string(let text): .string(text)
        case .data(let data): .data(data.bytes)
        case .number(let number): .number(number)
        default: nil
        }
    }

    private static func data(_ value: SuppliedValue) -> AttributeValue? {
        switch value {
        case .data(let data): .data(data.bytes)
        case .string(let text): .data(Array(text.utf8))
        case .number(let number): .data(AttributeValue.number(number).canonicalBytes)
        default: nil
        }
    }

    private static func number(_ value: SuppliedValue) -> AttributeValue? {
        switch value {
        case .number(let number): .number(number)
        case .boolean(let flag): .number(flag ? 1 : 0)
        case .string(let text):
            if let number = Int32(text), String(number).utf8.elementsEqual(text.utf8) {
                .number(Int64(number))
            } else {
                .string(text)
            }
        default: nil
        }
    }

    private static func string(_ value: SuppliedValue) -> AttributeValue? {
        switch value {
        case .string(let text): .string(text)
        case .data(let data):
            unsafe data.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }.map { .string($0) }
        case .uuid(let uuid): .string(uuid.uuidString)
        default: nil
        }
    }

    private static func uuid(_ value: SuppliedValue) -> AttributeValue? {
        switch value {
        case .data(let data) where data.isEmpty || data.count == 16: .data(data.bytes)
        case .null: .data([])
        default: nil
        }
    }
}
