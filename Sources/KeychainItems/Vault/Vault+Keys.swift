// SPDX-License-Identifier: Apache-2.0

/// Secrets by their keys: the accounts of the generic passwords of the vault's service.
extension Vault {
    /// Reads a secret as a string.
    ///
    /// - Parameter key: The key, which is not empty.
    /// - Returns: The string; `nil` if there certainly is none.
    /// - Throws: ``VaultError``; its reason is ``VaultError/Reason-swift.enum/undecodable`` for bytes that are no UTF-8.
    public func get(_ key: String) throws(VaultError) -> String? { try get(key, as: String.self) }

    /// Reads a secret as `SecretBytes`, `Data`, `[UInt8]` or a type of your own.
    ///
    /// - Parameters:
    ///   - key: The key, which is not empty.
    ///   - type: The type of the value.
    /// - Returns: The value; `nil` if there certainly is none.
    /// - Throws: ``VaultError``; its reason is ``VaultError/Reason-swift.enum/undecodable`` for bytes that are no such value.
    public func get<Value: SecretConvertible>(
        _ key: String,
        as type: Value.Type
    ) throws(VaultError) -> Value? {
        guard let secret = try secret(filter(key, .read)) else { return nil }
        guard let value = Value(secret: secret) else { throw VaultError(.undecodable, .read) }
        return value
    }

    /// Reads the value of a typed key.
    ///
    /// - Parameter key: The key, whose name is not empty.
    /// - Returns: The value; `nil` if there certainly is none.
    /// - Throws: ``VaultError``; its reason is ``VaultError/Reason-swift.enum/undecodable`` for bytes that are no such value.
    public func get<Value>(_ key: SecretKey<Value>) throws(VaultError) -> Value? {
        guard let secret = try secret(filter(key.name, .read)) else { return nil }
        return try key.value(secret, .read)
    }

    /// Reads a secret as a string; see `get(_:)`.
    public subscript(key: String) -> String? {
        get throws(VaultError) { try get(key) }
    }

    /// Reads the value of a typed key; see `get(_:)`.
    public subscript<Value>(key: SecretKey<Value>) -> Value? {
        get throws(VaultError) { try get(key) }
    }

    /// Stores a new secret.
    ///
    /// - Parameters:
    ///   - value: A string, bytes, or a value of a type of your own.
    ///   - key: The key, which is not empty.
    /// - Throws: ``VaultError``; its reason is ``VaultError/Reason-swift.enum/duplicate`` if the key has a secret.
    public func add(_ value: some SecretConvertible, for key: String) throws(VaultError) {
        try add(item(key, .add), value.secret.data)
    }

    /// Stores a new value under a typed key.
    ///
    /// - Throws: ``VaultError``; its reason is ``VaultError/Reason-swift.enum/duplicate`` if the key has a secret.
    public func add<Value>(_ value: Value, for key: SecretKey<Value>) throws(VaultError) {
        try add(item(key.name, .add), key.secret(value, .add).data)
    }

    /// Stores a secret, in place of the one that is there.
    ///
    /// If it fails, what was there is there still.
    ///
    /// - Parameters:
    ///   - value: A string, bytes, or a value of a type of your own.
    ///   - key: The key, which is not empty.
    /// - Throws: ``VaultError``.
    public func set(_ value: some SecretConvertible, for key: String) throws(VaultError) {
        try set(item(key, .set), value.secret.data)
    }

    /// Stores a value under a typed key, in place of the one that is there.
    ///
    /// If it fails, what was there is there still.
    ///
    /// - Throws: ``VaultError``.
    public func set<Value>(_ value: Value, for key: SecretKey<Value>) throws(VaultError) {
        try set(item(key.name, .set), key.secret(value, .set).data)
    }

    /// Removes a secret; nothing is no failure.
    ///
    /// - Parameter key: The key, which is not empty.
    /// - Returns: Whether there was one.
    /// - Throws: ``VaultError``.
    @discardableResult
    public func remove(_ key: String) throws(VaultError) -> Bool { try remove(filter(key, .remove)) }

    /// Removes the value of a typed key; nothing is no failure.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: ``VaultError``.
    @discardableResult
    public func remove<Value>(_ key: SecretKey<Value>) throws(VaultError) -> Bool { try remove(key.name) }

    /// Says whether a key has a secret, without reading it; the user is never asked.
    ///
    /// - Parameter key: The key, which is not empty.
    /// - Returns: Whether there is one.
    /// - Throws: ``VaultError``.
    public func contains(_ key: String) throws(VaultError) -> Bool { try contains(filter(key, .read)) }

    /// Says whether a typed key has a value, without reading it; the user is never asked.
    ///
    /// - Throws: ``VaultError``.
    public func contains<Value>(_ key: SecretKey<Value>) throws(VaultError) -> Bool { try contains(key.name) }
}
