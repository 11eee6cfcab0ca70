// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Added to Valet: asynchronous calls; see ``Valet/Async``.
extension SecureEnclaveValet {
    /// The asynchronous calls of a valet, each on a separate thread.
    public struct Async: Sendable {
        let valet: SecureEnclaveValet
    }

    /// The asynchronous calls of this valet.
    public var async: Async { Async(valet: self) }
}

extension SecureEnclaveValet.Async {
    /// The asynchronous form of ``SecureEnclaveValet/canAccessKeychain()``.
    public func canAccessKeychain() async -> Bool {
        await BlockingCalls.run { valet.canAccessKeychain() }
    }

    /// The asynchronous form of ``SecureEnclaveValet/setObject(_:forKey:)``.
    public func setObject(_ object: Data, forKey key: String) async throws(KeychainError) {
        try await BlockingCalls.run { () throws(KeychainError) in try valet.setObject(object, forKey: key) }
    }

    /// The asynchronous form of ``SecureEnclaveValet/setString(_:forKey:)``.
    public func setString(_ string: String, forKey key: String) async throws(KeychainError) {
        try await BlockingCalls.run { () throws(KeychainError) in try valet.setString(string, forKey: key) }
    }

    /// The asynchronous form of ``SecureEnclaveValet/object(forKey:withPrompt:)``.
    public func object(forKey key: String, withPrompt prompt: String = "") async throws(KeychainError) -> Data
    {
        try await BlockingCalls.run { () throws(KeychainError) in
            try valet.object(forKey: key, withPrompt: prompt)
        }
    }

    /// The asynchronous form of ``SecureEnclaveValet/string(forKey:withPrompt:)``.
    public func string(
        forKey key: String,
        withPrompt prompt: String = ""
    ) async throws(KeychainError) -> String {
        try await BlockingCalls.run { () throws(KeychainError) in
            try valet.string(forKey: key, withPrompt: prompt)
        }
    }

    /// The asynchronous form of ``SecureEnclaveValet/containsObject(forKey:)``.
    public func containsObject(forKey key: String) async throws(KeychainError) -> Bool {
        try await BlockingCalls.run { () throws(KeychainError) in try valet.containsObject(forKey: key) }
    }

    /// The asynchronous form of ``SecureEnclaveValet/removeObject(forKey:)``.
    public func removeObject(forKey key: String) async throws(KeychainError) {
        try await BlockingCalls.run { () throws(KeychainError) in try valet.removeObject(forKey: key) }
    }

    /// The asynchronous form of ``SecureEnclaveValet/removeAllObjects()``.
    public func removeAllObjects() async throws(KeychainError) {
        try await BlockingCalls.run { () throws(KeychainError) in try valet.removeAllObjects() }
    }

    /// The asynchronous form of ``SecureEnclaveValet/setValue(encoding:forKey:)``.
    public func setValue<Value: Encodable & Sendable>(encoding value: Value, forKey key: String) async throws
    {
        try await BlockingCalls.run { try valet.setValue(encoding: value, forKey: key) }
    }

    /// The asynchronous form of ``SecureEnclaveValet/value(_:forKey:withPrompt:)``.
    public func value<Value: Decodable & Sendable>(
        _ type: Value.Type,
        forKey key: String,
        withPrompt prompt: String = ""
    ) async throws -> Value {
        try await BlockingCalls.run { try valet.value(type, forKey: key, withPrompt: prompt) }
    }

    /// The asynchronous form of ``SecureEnclaveValet/diagnose()``.
    public func diagnose() async -> KeychainDiagnosis { await BlockingCalls.run { valet.diagnose() } }
}
