// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Why a value of a type of one's own could not be kept or read.
///
/// It names the type alone: what a coder says about a value could repeat a part of it.
public enum CodableValueError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// The value has no JSON form.
    case notEncodable(type: String)
    /// The bytes are not the JSON form of such a value.
    case notDecodable(type: String)

    /// What went wrong, and the type.
    public var description: String {
        switch self {
        case .notEncodable(let type): "a value of type \(type) cannot be encoded"
        case .notDecodable(let type): "what is kept is no value of type \(type)"
        }
    }

    /// The same as ``description``; `localizedDescription` returns it.
    public var errorDescription: String? { description }
}

/// Added to Valet: values of any type that can be encoded, kept as JSON.
extension Valet {
    /// Keeps a value under a key, as JSON.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, which is not empty.
    /// - Throws: ``KeychainError``, or ``CodableValueError``.
    public func setValue<Value: Encodable>(encoding value: Value, forKey key: String) throws {
        try setObject(sandbox.reportingAny { try JSONValue.encode(value) }, forKey: key)
    }

    /// Reads a value that was kept as JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - key: The key, which is not empty.
    /// - Returns: The value.
    /// - Throws: ``KeychainError``, or ``CodableValueError`` for bytes that are no such value.
    public func value<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value {
        let data = try object(forKey: key)
        return try sandbox.reportingAny { try JSONValue.decode(type, data) }
    }
}

/// The same for values that the user is asked for.
extension SecureEnclaveValet {
    /// Keeps a value under a key, as JSON.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, which is not empty.
    /// - Throws: ``KeychainError``, or ``CodableValueError``.
    public func setValue<Value: Encodable>(encoding value: Value, forKey key: String) throws {
        try setObject(sandbox.reportingAny { try JSONValue.encode(value) }, forKey: key)
    }

    /// Reads a value that was kept as JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - key: The key, which is not empty.
    ///   - userPrompt: What the person reads.
    /// - Returns: The value.
    /// - Throws: ``KeychainError``, or ``CodableValueError`` for bytes that are no such value.
    public func value<Value: Decodable>(
        _ type: Value.Type,
        forKey key: String,
        withPrompt userPrompt: String
    ) throws -> Value {
        let data = try object(forKey: key, withPrompt: userPrompt)
        return try sandbox.reportingAny { try JSONValue.decode(type, data) }
    }
}

/// The same for values that the user is asked for once.
extension SinglePromptSecureEnclaveValet {
    /// Keeps a value under a key, as JSON.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, which is not empty.
    /// - Throws: ``KeychainError``, or ``CodableValueError``.
    public func setValue<Value: Encodable>(encoding value: Value, forKey key: String) throws {
        try setObject(sandbox.reportingAny { try JSONValue.encode(value) }, forKey: key)
    }

    /// Reads a value that was kept as JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - key: The key, which is not empty.
    ///   - userPrompt: What the person reads if asked.
    /// - Returns: The value.
    /// - Throws: ``KeychainError``, or ``CodableValueError`` for bytes that are no such value.
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
