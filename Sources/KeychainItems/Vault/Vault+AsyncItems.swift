// SPDX-License-Identifier: Apache-2.0

/// Asynchronous variants of the calls for items; an `async` function uses them automatically.
///
/// Each call runs on a separate thread and blocks neither an actor nor another task. Cancelling the task
/// cancels its prompt, unless the vault has a session. A call in a cancelled task fails with
/// ``VaultError/Reason-swift.enum/cancelled``.
extension Vault {
    /// Reads the secret of an item, without blocking the actor.
    public func get(_ item: some KeychainItem) async throws(VaultError) -> SecretBytes? {
        try await offActor(.read) { vault throws(VaultError) in try vault.get(item) }
    }

    /// Adds an item, without blocking the actor.
    public func add(_ item: some KeychainItem, secret: some SecretConvertible) async throws(VaultError) {
        try await offActor(.add) { vault throws(VaultError) in try vault.add(item, secret: secret) }
    }

    /// Adds an item that has no secret, without blocking the actor.
    public func add(_ item: some KeychainItem) async throws(VaultError) {
        try await offActor(.add) { vault throws(VaultError) in try vault.add(item) }
    }

    /// Adds or updates an item, without blocking the actor.
    public func set(_ item: some KeychainItem, secret: some SecretConvertible) async throws(VaultError) {
        try await offActor(.set) { vault throws(VaultError) in try vault.set(item, secret: secret) }
    }

    /// Adds or updates an item without a secret, without blocking the actor.
    public func set(_ item: some KeychainItem) async throws(VaultError) {
        try await offActor(.set) { vault throws(VaultError) in try vault.set(item) }
    }

    /// Removes an item, without blocking the actor.
    @discardableResult
    public func remove(_ item: some KeychainItem) async throws(VaultError) -> Bool {
        try await offActor(.remove) { vault throws(VaultError) in try vault.remove(item) }
    }

    /// Returns whether an item exists, without blocking the actor.
    public func contains(_ item: some KeychainItem) async throws(VaultError) -> Bool {
        try await offActor(.read) { vault throws(VaultError) in try vault.contains(item) }
    }

    /// Returns the matching items, without blocking the actor.
    public func items<Item: KeychainItem>(
        matching query: ItemQuery<Item>
    ) async throws(VaultError) -> [Item] {
        try await offActor(.list) { vault throws(VaultError) in try vault.items(matching: query) }
    }

    /// Returns the matching items with their secrets, without blocking the actor.
    public func items<Item: KeychainItem>(
        matching query: ItemQuery<Item>,
        including inclusion: Inclusion
    ) async throws(VaultError) -> [(item: Item, secret: SecretBytes?)] {
        try await offActor(.list) { vault throws(VaultError) in
            try vault.items(matching: query, including: inclusion)
        }
    }

    /// Returns the items of the vault's service, without blocking the actor.
    public func items() async throws(VaultError) -> [GenericPassword] {
        try await offActor(.list) { vault throws(VaultError) in try vault.items() }
    }

    /// Returns the keys in the vault's service, without blocking the actor.
    public func keys() async throws(VaultError) -> Set<String> {
        try await offActor(.list) { vault throws(VaultError) in try vault.keys() }
    }

    /// Removes all items of a scope, without blocking the actor.
    @discardableResult
    public func removeAll(_ scope: RemovalScope) async throws(VaultError) -> Bool {
        try await offActor(.remove) { vault throws(VaultError) in try vault.removeAll(scope) }
    }

    /// Removes all matching items, without blocking the actor.
    @discardableResult
    public func removeAll(matching query: ItemQuery<some KeychainItem>) async throws(VaultError) -> Bool {
        try await offActor(.remove) { vault throws(VaultError) in try vault.removeAll(matching: query) }
    }

    /// Returns the item of a persistent reference, without blocking the actor.
    public func item<Item: KeychainItem>(
        _ reference: ItemReference,
        as type: Item.Type = GenericPassword.self
    ) async throws(VaultError) -> Item? {
        try await offActor(.read) { vault throws(VaultError) in try vault.item(reference, as: type) }
    }

    /// Updates the secret of an item, without blocking the actor.
    @discardableResult
    public func update<Result: Sendable>(
        _ item: some KeychainItem,
        _ body: @Sendable (inout SecretBytes?) throws -> Result
    ) async throws -> Result {
        try await offActor(.update, throwing: { vault in try vault.update(item, body) })
    }

    /// Makes several changes in one transaction, without blocking the actor.
    @discardableResult
    public func transaction<Result: Sendable>(
        _ body: @Sendable (inout VaultTransaction) throws -> Result
    ) async throws -> Result {
        try await offActor(.transaction, throwing: { vault in try vault.transaction(body) })
    }
}
