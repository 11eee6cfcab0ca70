// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainServices

/// The calls that the three kinds of valets share.
///
/// These functions hold no lock, because every keychain call is atomic. A function that makes two calls documents
/// why that is correct without a lock.
enum SandboxCalls {
    static let canaryKey = "VAL_KeychainCanaryUsername"
    static let canaryValue = Data("VAL_KeychainCanaryPassword".utf8)

    static func object(
        forKey key: String,
        in sandbox: Sandbox,
        _ session: AuthenticationSession? = nil
    ) throws(KeychainFailure) -> Data {
        try checkKey(key, .read)
        let value = try failing(.read) { () throws(VaultError) in
            try sandbox.vault(session).firstValue(matching: sandbox.query(key))
        }
        // Valets store no item without a value, so such an item is a third-party one.
        guard case .some(.some(let value)) = value else { throw KeychainFailure(errSecItemNotFound, .read) }
        return value
    }

    static func string(
        forKey key: String,
        in sandbox: Sandbox,
        _ session: AuthenticationSession? = nil
    ) throws(KeychainFailure) -> String {
        let value = try object(forKey: key, in: sandbox, session)
        guard let string = String(validating: value, as: UTF8.self) else {
            throw KeychainFailure(.itemNotFound, status: errSecDecode, .read)
        }
        return string
    }

    static func setObject(
        _ object: Data,
        forKey key: String,
        in sandbox: Sandbox
    ) throws(KeychainFailure) {
        try checkKey(key, .write)
        guard !object.isEmpty else { throw KeychainFailure(.emptyValue, .write) }
        try failing(.write) { () throws(VaultError) in try store(object, key, in: sandbox) }
    }

    static func setString(
        _ string: String,
        forKey key: String,
        in sandbox: Sandbox
    ) throws(KeychainFailure) {
        try setObject(Data(string.utf8), forKey: key, in: sandbox)
    }

    /// Returns whether a key has a value; non-interactive.
    static func containsObject(forKey key: String, in sandbox: Sandbox) throws(KeychainFailure) -> Bool {
        // The original Valet library has no separate error for an empty key here.
        guard !key.isEmpty else { throw KeychainFailure(errSecParam, .read) }
        do throws(KeychainFailure) {
            return try failing(.read) { () throws(VaultError) in
                try sandbox.silentVault.hasItem(matching: sandbox.query(key))
            }
        } catch {
            guard sandbox.hasAccessControl, error.status == errSecInteractionNotAllowed else { throw error }
            return true
        }
    }

    /// The keys of the values; accounts that are not strings are omitted.
    static func allKeys(
        in sandbox: Sandbox,
        _ session: AuthenticationSession? = nil
    ) throws(KeychainFailure) -> Set<String> {
        Set(try allItems(in: sandbox, session).compactMap(\.accountText))
    }

    /// All items except the canary (the test item of `canAccessKeychain`), without their values.
    static func allItems(
        in sandbox: Sandbox,
        _ session: AuthenticationSession? = nil
    ) throws(KeychainFailure) -> [GenericPassword] {
        let items = try failing(.list) { () throws(VaultError) in
            try sandbox.vault(session).items(matching: sandbox.query)
        }
        return items.filter { $0.accountText != canaryKey }
    }

    static func removeObject(forKey key: String, in sandbox: Sandbox) throws(KeychainFailure) {
        try checkKey(key, .remove)
        try removeAll(sandbox.query(key), in: sandbox)
    }

    static func removeAllObjects(in sandbox: Sandbox) throws(KeychainFailure) {
        try removeAll(sandbox.query, in: sandbox)
    }

    private static func removeAll(
        _ query: ItemQuery<GenericPassword>,
        in sandbox: Sandbox
    ) throws(KeychainFailure) {
        _ = try failing(.remove) { () throws(VaultError) in
            try sandbox.vault(nil).removeAll(matching: query)
        }
    }

    /// Runs calls of a ``Vault``; converts their errors to failures.
    static func failing<Result>(
        _ operation: KeychainFailure.Operation,
        _ body: () throws(VaultError) -> Result
    ) throws(KeychainFailure) -> Result {
        do throws(VaultError) {
            return try body()
        } catch {
            throw KeychainFailure(error, operation)
        }
    }

    static func check(_ status: OSStatus, _ operation: KeychainFailure.Operation) throws(KeychainFailure) {
        guard status == errSecSuccess else { throw KeychainFailure(status, operation) }
    }

    private static func checkKey(
        _ key: String,
        _ operation: KeychainFailure.Operation
    ) throws(KeychainFailure) {
        guard !key.isEmpty else { throw KeychainFailure(.emptyKey, operation) }
    }
}

extension NSDictionary {
    /// Returns the dictionaries of a result, which is one dictionary or an array.
    static func each(of result: CFTypeRef?) -> [NSDictionary] {
        if let one = result as? NSDictionary { return [one] }
        guard let many = result as? NSArray else { return [] }
        return many.compactMap { $0 as? NSDictionary }
    }
}

extension AuthenticationSession {
    /// Returns a session whose prompt shows a reason; `nil` if the reason is empty.
    static func telling(_ prompt: String) -> AuthenticationSession? {
        prompt.isEmpty ? nil : AuthenticationSession(prompt: prompt)
    }
}
