// SPDX-License-Identifier: Apache-2.0

/// The calls about keys for `async` functions, where they take the place of the blocking ones.
///
/// Each runs on a thread of its own: neither an actor nor another task waits. Cancelling the task ends a prompt that is
/// shown, unless the vault has a session; a call in a cancelled task is ``VaultError/Reason-swift.enum/cancelled``.
extension Vault {
    /// Reads a secret as a string; see the form that blocks.
    public func get(_ key: String) async throws(VaultError) -> String? {
        try await offActor(.read) { vault throws(VaultError) in try vault.get(key) }
    }

    /// Reads a secret as a value of a type; see the form that blocks.
    public func get<Value: SecretConvertible>(
        _ key: String,
        as type: Value.Type
    ) async throws(VaultError) -> Value? {
        try await offActor(.read) { vault throws(VaultError) in try vault.get(key, as: type) }
    }

    /// Reads the value of a typed key; see the form that blocks.
    public func get<Value>(_ key: SecretKey<Value>) async throws(VaultError) -> Value? {
        try await offActor(.read) { vault throws(VaultError) in try vault.get(key) }
    }

    /// Stores a new secret; see the form that blocks.
    public func add(_ value: some SecretConvertible, for key: String) async throws(VaultError) {
        try await offActor(.add) { vault throws(VaultError) in try vault.add(value, for: key) }
    }

    /// Stores a new value under a typed key; see the form that blocks.
    public func add<Value>(_ value: Value, for key: SecretKey<Value>) async throws(VaultError) {
        try await offActor(.add) { vault throws(VaultError) in try vault.add(value, for: key) }
    }

    /// Stores a secret, in place of the one that is there; see the form that blocks.
    public func set(_ value: some SecretConvertible, for key: String) async throws(VaultError) {
        try await offActor(.set) { vault throws(VaultError) in try vault.set(value, for: key) }
    }

    /// Stores a value under a typed key, in place of the one that is there; see the form that blocks.
    public func set<Value>(_ value: Value, for key: SecretKey<Value>) async throws(VaultError) {
        try await offActor(.set) { vault throws(VaultError) in try vault.set(value, for: key) }
    }

    /// Removes a secret; nothing is no failure; see the form that blocks.
    @discardableResult
    public func remove(_ key: String) async throws(VaultError) -> Bool {
        try await offActor(.remove) { vault throws(VaultError) in try vault.remove(key) }
    }

    /// Removes the value of a typed key; nothing is no failure; see the form that blocks.
    @discardableResult
    public func remove<Value>(_ key: SecretKey<Value>) async throws(VaultError) -> Bool {
        try await offActor(.remove) { vault throws(VaultError) in try vault.remove(key) }
    }

    /// Says whether a key has a secret, without reading it; see the form that blocks.
    public func contains(_ key: String) async throws(VaultError) -> Bool {
        try await offActor(.read) { vault throws(VaultError) in try vault.contains(key) }
    }

    /// Says whether a typed key has a value, without reading it; see the form that blocks.
    public func contains<Value>(_ key: SecretKey<Value>) async throws(VaultError) -> Bool {
        try await offActor(.read) { vault throws(VaultError) in try vault.contains(key) }
    }

    /// Changes the value of a typed key according to what it is; see the form that blocks.
    @discardableResult
    public func update<Value, Result: Sendable>(
        _ key: SecretKey<Value>,
        _ body: @Sendable (inout Value?) throws -> Result
    ) async throws -> Result {
        try await offActor(.update, throwing: { vault in try vault.update(key, body) })
    }

    /// Changes a string according to what it is; see the form that blocks.
    @discardableResult
    public func update<Result: Sendable>(
        _ key: String,
        _ body: @Sendable (inout String?) throws -> Result
    ) async throws -> Result {
        try await offActor(.update, throwing: { vault in try vault.update(key, body) })
    }
}
