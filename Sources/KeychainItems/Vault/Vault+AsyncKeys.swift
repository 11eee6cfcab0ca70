// SPDX-License-Identifier: Apache-2.0

/// Asynchronous variants of the calls for keys; an `async` function uses them automatically.
///
/// Each call runs on a separate thread and blocks neither an actor nor another task. Cancelling the task
/// cancels its prompt, unless the vault has a session. A call in a cancelled task fails with
/// ``VaultError/Reason-swift.enum/cancelled``.
extension Vault {
    /// Reads a secret as a string, without blocking the actor.
    public func get(_ key: String) async throws(VaultError) -> String? {
        try await offActor(.read) { vault throws(VaultError) in try vault.get(key) }
    }

    /// Reads a secret as a given type, without blocking the actor.
    public func get<Value: SecretConvertible>(
        _ key: String,
        as type: Value.Type
    ) async throws(VaultError) -> Value? {
        try await offActor(.read) { vault throws(VaultError) in try vault.get(key, as: type) }
    }

    /// Reads the value of a typed key, without blocking the actor.
    public func get<Value>(_ key: SecretKey<Value>) async throws(VaultError) -> Value? {
        try await offActor(.read) { vault throws(VaultError) in try vault.get(key) }
    }

    /// Adds a secret, without blocking the actor.
    public func add(_ value: some SecretConvertible, for key: String) async throws(VaultError) {
        try await offActor(.add) { vault throws(VaultError) in try vault.add(value, for: key) }
    }

    /// Adds the value of a typed key, without blocking the actor.
    public func add<Value>(_ value: Value, for key: SecretKey<Value>) async throws(VaultError) {
        try await offActor(.add) { vault throws(VaultError) in try vault.add(value, for: key) }
    }

    /// Adds or replaces a secret, without blocking the actor.
    public func set(_ value: some SecretConvertible, for key: String) async throws(VaultError) {
        try await offActor(.set) { vault throws(VaultError) in try vault.set(value, for: key) }
    }

    /// Adds or replaces the value of a typed key, without blocking the actor.
    public func set<Value>(_ value: Value, for key: SecretKey<Value>) async throws(VaultError) {
        try await offActor(.set) { vault throws(VaultError) in try vault.set(value, for: key) }
    }

    /// Removes a secret, without blocking the actor.
    @discardableResult
    public func remove(_ key: String) async throws(VaultError) -> Bool {
        try await offActor(.remove) { vault throws(VaultError) in try vault.remove(key) }
    }

    /// Removes the value of a typed key, without blocking the actor.
    @discardableResult
    public func remove<Value>(_ key: SecretKey<Value>) async throws(VaultError) -> Bool {
        try await offActor(.remove) { vault throws(VaultError) in try vault.remove(key) }
    }

    /// Returns whether a key has a secret, without blocking the actor.
    public func contains(_ key: String) async throws(VaultError) -> Bool {
        try await offActor(.read) { vault throws(VaultError) in try vault.contains(key) }
    }

    /// Returns whether a typed key has a value, without blocking the actor.
    public func contains<Value>(_ key: SecretKey<Value>) async throws(VaultError) -> Bool {
        try await offActor(.read) { vault throws(VaultError) in try vault.contains(key) }
    }

    /// Updates the value of a typed key, without blocking the actor.
    @discardableResult
    public func update<Value, Result: Sendable>(
        _ key: SecretKey<Value>,
        _ body: @Sendable (inout Value?) throws -> Result
    ) async throws -> Result {
        try await offActor(.update, throwing: { vault in try vault.update(key, body) })
    }

    /// Updates the string of a key, without blocking the actor.
    @discardableResult
    public func update<Result: Sendable>(
        _ key: String,
        _ body: @Sendable (inout String?) throws -> Result
    ) async throws -> Result {
        try await offActor(.update, throwing: { vault in try vault.update(key, body) })
    }
}
