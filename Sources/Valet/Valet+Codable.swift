// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An error in encoding or decoding a value.
///
/// The error contains only the name of the type, because the description of the error that a coder throws
/// could contain part of the value.
public enum CodableValueError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// The value cannot be encoded as JSON.
    case notEncodable(type: String)
    /// The stored bytes are not the JSON of a value of the type.
    case notDecodable(type: String)

    /// The problem and the type.
    public var description: String {
        switch self {
        case .notEncodable(let type): "a value of type \(type) cannot be encoded"
        case .notDecodable(let type): "the stored bytes are not a value of type \(type)"
        }
    }

    /// The same as ``description``; `localizedDescription` returns it.
    public var errorDescription: String? { description }
}

/// Added to Valet: `Codable` values, stored as JSON.
extension Valet {
    /// Stores a value as JSON.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, which must not be empty.
    /// - Throws: ``KeychainError``, or ``CodableValueError``.
    public func setValue<Value: Encodable>(encoding value: Value, forKey key: String) throws {
        try setObject(sandbox.reportingAny { try JSONValue.encode(value) }, forKey: key)
    }

    /// Reads a value that was stored as JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - key: The key, which must not be empty.
    /// - Returns: The value.
    /// - Throws: ``KeychainError``, or ``CodableValueError`` if the bytes are not a value of the type.
    public func value<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value {
        let data = try object(forKey: key)
        return try sandbox.reportingAny { try JSONValue.decode(type, data) }
    }
}

extension SecureEnclaveValet {
    /// Stores a value as JSON.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, which must not be empty.
    /// - Throws: ``KeychainError``, or ``CodableValueError``.
    public func setValue<Value: Encodable>(encoding value: Value, forKey key: String) throws {
        try setObject(sandbox.reportingAny { try JSONValue.encode(value) }, forKey: key)
    }

    /// Reads a value that was stored as JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - key: The key, which must not be empty.
    ///   - userPrompt: The reason shown to the user.
    /// - Returns: The value.
    /// - Throws: ``KeychainError``, or ``CodableValueError`` if the bytes are not a value of the type.
    public func value<Value: Decodable>(
        _ type: Value.Type,
        forKey key: String,
        withPrompt userPrompt: String
    ) throws -> Value {
        let data = try object(forKey: key, withPrompt: userPrompt)
        return try sandbox.reportingAny { try JSONValue.decode(type, data) }
    }
}

extension SinglePromptSecureEnclaveValet {
    /// Stores a value as JSON.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, which must not be empty.
    /// - Throws: ``KeychainError``, or ``CodableValueError``.
    public func setValue<Value: Encodable>(encoding value: Value, forKey key: String) throws {
        try setObject(sandbox.reportingAny { try JSONValue.encode(value) }, forKey: key)
    }

    /// Reads a value that was stored as JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - key: The key, which must not be empty.
    ///   - userPrompt: The reason shown if the user must authenticate.
    /// - Returns: The value.
    /// - Throws: ``KeychainError``, or ``CodableValueError`` if the bytes are not a value of the type.
    public func value<Value: Decodable>(
        _ type: Value.Type,
        forKey key: String,
        withPrompt userPrompt: String
    ) throws -> Value {
        let data = try object(forKey: key, withPrompt: userPrompt)
        return try sandbox.reportingAny { try JSONValue.decode(type, data) }
    }
}

private enum JSONValue {
    static func encode<Value: Encodable>(_ value: Value) throws(CodableValueError) -> Data {
        guard let data = try? JSONEncoder().encode(value) else {
            throw .notEncodable(type: String(describing: Value.self))
        }
        return data
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ data: Data) throws(CodableValueError) -> Value
    {
        guard let value = try? JSONDecoder().decode(type, from: data) else {
            throw .notDecodable(type: String(describing: type))
        }
        return value
    }
}
