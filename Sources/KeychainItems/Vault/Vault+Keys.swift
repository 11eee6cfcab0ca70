// SPDX-License-Identifier: Apache-2.0

/// Calls that take the key of a secret.
///
/// A key is the account of a generic password of the vault's service.
extension Vault {
    /// Reads a secret as a string.
    ///
    /// - Parameter key: The key, which must not be empty.
    /// - Returns: The string; `nil` if the secret does not exist.
    /// - Throws: ``VaultError``. Its reason is ``VaultError/Reason-swift.enum/undecodable`` if the bytes are
    ///   not valid UTF-8.
    public func get(_ key: String) throws(VaultError) -> String? { try get(key, as: String.self) }

    /// Reads a secret as a given type.
    ///
    /// The type is `String`, `SecretBytes`, `Data`, `[UInt8]` or a custom type.
    ///
    /// - Parameters:
    ///   - key: The key, which must not be empty.
    ///   - type: The type of the value.
    /// - Returns: The value; `nil` if the secret does not exist.
    /// - Throws: ``VaultError``. Its reason is ``VaultError/Reason-swift.enum/undecodable`` if the bytes are
    ///   not valid for the type.
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
    /// - Parameter key: The key, whose name must not be empty.
    /// - Returns: The value; `nil` if it does not exist.
    /// - Throws: ``VaultError``. Its reason is ``VaultError/Reason-swift.enum/undecodable`` if the bytes are
    ///   not valid for the type.
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

    /// Adds a secret.
    ///
    /// - Parameters:
    ///   - value: A string, bytes or a value of a custom type.
    ///   - key: The key, which must not be empty.
    /// - Throws: ``VaultError``. Its reason is ``VaultError/Reason-swift.enum/duplicate`` if the key has a
    ///   secret.
    public func add(_ value: some SecretConvertible, for key: String) throws(VaultError) {
        try add(item(key, .add), value.secret.buffer)
    }

    /// Adds the value of a typed key.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, whose name must not be empty.
    /// - Throws: ``VaultError``. Its reason is ``VaultError/Reason-swift.enum/duplicate`` if the key has a
    ///   secret.
    public func add<Value>(_ value: Value, for key: SecretKey<Value>) throws(VaultError) {
        try add(item(key.name, .add), key.secret(value, .add).buffer)
    }

    /// Adds a secret, or replaces the existing one.
    ///
    /// If the call fails, the existing secret is unchanged.
    ///
    /// - Parameters:
    ///   - value: A string, bytes or a value of a custom type.
    ///   - key: The key, which must not be empty.
    /// - Throws: ``VaultError``.
    public func set(_ value: some SecretConvertible, for key: String) throws(VaultError) {
        try set(item(key, .set), value.secret.buffer)
    }

    /// Adds the value of a typed key, or replaces the existing one.
    ///
    /// If the call fails, the existing value is unchanged.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, whose name must not be empty.
    /// - Throws: ``VaultError``.
    public func set<Value>(_ value: Value, for key: SecretKey<Value>) throws(VaultError) {
        try set(item(key.name, .set), key.secret(value, .set).buffer)
    }

    /// Removes a secret, if it exists.
    ///
    /// - Parameter key: The key, which must not be empty.
    /// - Returns: Whether the secret existed.
    /// - Throws: ``VaultError``.
    @discardableResult
    public func remove(_ key: String) throws(VaultError) -> Bool { try remove(filter(key, .remove)) }

    /// Removes the value of a typed key, if it exists.
    ///
    /// - Parameter key: The key, whose name must not be empty.
    /// - Returns: Whether the value existed.
    /// - Throws: ``VaultError``.
    @discardableResult
    public func remove<Value>(_ key: SecretKey<Value>) throws(VaultError) -> Bool { try remove(key.name) }

    /// Returns whether a key has a secret, without reading it.
    ///
    /// The call is non-interactive.
    ///
    /// - Parameter key: The key, which must not be empty.
    /// - Returns: Whether the key has a secret.
    /// - Throws: ``VaultError``.
    public func contains(_ key: String) throws(VaultError) -> Bool { try contains(filter(key, .read)) }

    /// Returns whether a typed key has a value, without reading it.
    ///
    /// The call is non-interactive.
    ///
    /// - Parameter key: The key, whose name must not be empty.
    /// - Returns: Whether the key has a value.
    /// - Throws: ``VaultError``.
    public func contains<Value>(_ key: SecretKey<Value>) throws(VaultError) -> Bool { try contains(key.name) }
}
