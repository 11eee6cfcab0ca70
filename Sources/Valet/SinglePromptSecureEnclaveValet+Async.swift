// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Added to Valet: asynchronous calls; see ``Valet/Async``.
extension SinglePromptSecureEnclaveValet {
    /// The asynchronous calls of a valet, each on a separate thread.
    public struct Async: Sendable {
        let valet: SinglePromptSecureEnclaveValet
    }

    /// The asynchronous calls of this valet.
    public var async: Async { Async(valet: self) }
}

extension SinglePromptSecureEnclaveValet.Async {
    /// The asynchronous form of ``SinglePromptSecureEnclaveValet/canAccessKeychain()``.
    public func canAccessKeychain() async -> Bool {
        await BlockingCalls.run { valet.canAccessKeychain() }
    }

    /// The asynchronous form of ``SinglePromptSecureEnclaveValet/setObject(_:forKey:)``.
    public func setObject(_ object: Data, forKey key: String) async throws {
        try await BlockingCalls.run { try valet.setObject(object, forKey: key) }
    }

    /// The asynchronous form of ``SinglePromptSecureEnclaveValet/setString(_:forKey:)``.
    public func setString(_ string: String, forKey key: String) async throws {
        try await BlockingCalls.run { try valet.setString(string, forKey: key) }
    }

    /// The asynchronous form of ``SinglePromptSecureEnclaveValet/object(forKey:withPrompt:)``.
    public func object(forKey key: String, withPrompt prompt: String) async throws -> Data {
        try await BlockingCalls.run { try valet.object(forKey: key, withPrompt: prompt) }
    }

    /// The asynchronous form of ``SinglePromptSecureEnclaveValet/string(forKey:withPrompt:)``.
    public func string(forKey key: String, withPrompt prompt: String) async throws -> String {
        try await BlockingCalls.run { try valet.string(forKey: key, withPrompt: prompt) }
    }

    /// The asynchronous form of ``SinglePromptSecureEnclaveValet/containsObject(forKey:)``.
    public func containsObject(forKey key: String) async throws -> Bool {
        try await BlockingCalls.run { try valet.containsObject(forKey: key) }
    }

    /// The asynchronous form of ``SinglePromptSecureEnclaveValet/allKeys(userPrompt:)``.
    public func allKeys(userPrompt: String) async throws -> Set<String> {
        try await BlockingCalls.run { try valet.allKeys(userPrompt: userPrompt) }
    }

    /// The asynchronous form of ``SinglePromptSecureEnclaveValet/removeObject(forKey:)``.
    public func removeObject(forKey key: String) async throws {
        try await BlockingCalls.run { try valet.removeObject(forKey: key) }
    }

    /// The asynchronous form of ``SinglePromptSecureEnclaveValet/removeAllObjects()``.
    public func removeAllObjects() async throws {
        try await BlockingCalls.run { try valet.removeAllObjects() }
    }

    /// The asynchronous form of ``SinglePromptSecureEnclaveValet/setValue(encoding:forKey:)``.
    public func setValue<Value: Encodable & Sendable>(encoding value: Value, forKey key: String) async throws
    {
        try await BlockingCalls.run { try valet.setValue(encoding: value, forKey: key) }
    }

    /// The asynchronous form of ``SinglePromptSecureEnclaveValet/value(_:forKey:withPrompt:)``.
    public func value<Value: Decodable & Sendable>(
        _ type: Value.Type,
        forKey key: String,
        withPrompt prompt: String
    ) async throws -> Value {
        try await BlockingCalls.run { try valet.value(type, forKey: key, withPrompt: prompt) }
    }

    /// The asynchronous form of ``SinglePromptSecureEnclaveValet/diagnose()``.
    public func diagnose() async -> KeychainDiagnosis { await BlockingCalls.run { valet.diagnose() } }
}
