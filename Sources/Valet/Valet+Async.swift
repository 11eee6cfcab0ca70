// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Added to Valet: asynchronous calls.
///
/// They are in a separate namespace. Overloads that differ only in `async` would replace Valet's functions in
/// asynchronous code, and code written for Valet would no longer compile.
extension Valet {
    /// The asynchronous calls of a valet, each on a separate thread.
    public struct Async: Sendable {
        let valet: Valet
    }

    /// The asynchronous calls: `try await valet.async.string(forKey: "token")`.
    public var async: Async { Async(valet: self) }
}

extension Valet.Async {
    /// The asynchronous form of ``Valet/canAccessKeychain()``.
    public func canAccessKeychain() async -> Bool {
        await BlockingCalls.run { valet.canAccessKeychain() }
    }

    /// The asynchronous form of ``Valet/setObject(_:forKey:)``.
    public func setObject(_ object: Data, forKey key: String) async throws(KeychainError) {
        try await BlockingCalls.run { () throws(KeychainError) in try valet.setObject(object, forKey: key) }
    }

    /// The asynchronous form of ``Valet/object(forKey:)``.
    public func object(forKey key: String) async throws(KeychainError) -> Data {
        try await BlockingCalls.run { () throws(KeychainError) in try valet.object(forKey: key) }
    }

    /// The asynchronous form of ``Valet/setString(_:forKey:)``.
    public func setString(_ string: String, forKey key: String) async throws(KeychainError) {
        try await BlockingCalls.run { () throws(KeychainError) in try valet.setString(string, forKey: key) }
    }

    /// The asynchronous form of ``Valet/string(forKey:)``.
    public func string(forKey key: String) async throws(KeychainError) -> String {
        try await BlockingCalls.run { () throws(KeychainError) in try valet.string(forKey: key) }
    }

    /// The asynchronous form of ``Valet/containsObject(forKey:)``.
    public func containsObject(forKey key: String) async throws(KeychainError) -> Bool {
        try await BlockingCalls.run { () throws(KeychainError) in try valet.containsObject(forKey: key) }
    }

    /// The asynchronous form of ``Valet/allKeys()``.
    public func allKeys() async throws(KeychainError) -> Set<String> {
        try await BlockingCalls.run { () throws(KeychainError) in try valet.allKeys() }
    }

    /// The asynchronous form of ``Valet/items()``.
    public func items() async throws(KeychainError) -> [Valet.Item] {
        try await BlockingCalls.run { () throws(KeychainError) in try valet.items() }
    }

    /// The asynchronous form of ``Valet/removeObject(forKey:)``.
    public func removeObject(forKey key: String) async throws(KeychainError) {
        try await BlockingCalls.run { () throws(KeychainError) in try valet.removeObject(forKey: key) }
    }

    /// The asynchronous form of ``Valet/removeAllObjects()``.
    public func removeAllObjects() async throws(KeychainError) {
        try await BlockingCalls.run { () throws(KeychainError) in try valet.removeAllObjects() }
    }

    /// The asynchronous form of ``Valet/setValue(encoding:forKey:)``.
    public func setValue<Value: Encodable & Sendable>(encoding value: Value, forKey key: String) async throws
    {
        try await BlockingCalls.run { try valet.setValue(encoding: value, forKey: key) }
    }

    /// The asynchronous form of ``Valet/value(_:forKey:)``.
    public func value<Value: Decodable & Sendable>(
        _ type: Value.Type,
        forKey key: String
    ) async throws -> Value {
        try await BlockingCalls.run { try valet.value(type, forKey: key) }
    }

    /// The asynchronous form of ``Valet/diagnose()``.
    public func diagnose() async -> KeychainDiagnosis { await BlockingCalls.run { valet.diagnose() } }
}
