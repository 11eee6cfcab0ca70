// SPDX-License-Identifier: Apache-2.0

/// The calls about items for `async` functions, where they take the place of the blocking ones.
///
/// Each runs on a thread of its own: neither an actor nor another task waits. Cancelling the task ends a prompt that is
/// shown, unless the vault has a session; a call in a cancelled task is ``VaultError/Reason-swift.enum/cancelled``.
extension Vault {
    /// Reads the secret of an item; see the form that blocks.
    public func get(_ item: some KeychainItem) async throws(VaultError) -> SecretBytes? {
        try await offActor(.read) { vault throws(VaultError) in try vault.get(item) }
    }

    /// Adds an item; see the form that blocks.
    public func add(_ item: some KeychainItem, secret: some SecretConvertible) async throws(VaultError) {
        try await offActor(.add) { vault throws(VaultError) in try vault.add(item, secret: secret) }
    }

    /// Adds an item that has no secret; see the form that blocks.
    public func add(_ item: some KeychainItem) async throws(VaultError) {
        try await offActor(.add) { vault throws(VaultError) in try vault.add(item) }
    }

    /// Adds an item, or changes the one that is there; see the form that blocks.
    public func set(_ item: some KeychainItem, secret: some SecretConvertible) async throws(VaultError) {
        try await offActor(.set) { vault throws(VaultError) in try vault.set(item, secret: secret) }
    }

    /// Stores an item that has no secret; see the form that blocks.
    public func set(_ item: some KeychainItem) async throws(VaultError) {
        try await offActor(.set) { vault throws(VaultError) in try vault.set(item) }
    }

    /// Removes an item; nothing is no failure; see the form that blocks.
    @discardableResult
    public func remove(_ item: some KeychainItem) async throws(VaultError) -> Bool {
        try await offActor(.remove) { vault throws(VaultError) in try vault.remove(item) }
    }

    /// Says whether there is an item, without reading its secret; see the form that blocks.
    public func contains(_ item: some KeychainItem) async throws(VaultError) -> Bool {
        try await offActor(.read) { vault throws(VaultError) in try vault.contains(item) }
    }

    /// Lists the items that match, without their secrets; see the form that blocks.
    public func items<Item: KeychainItem>(
        matching query: ItemQuery<Item>
    ) async throws(VaultError) -> [Item] {
        try await offActor(.list) { vault throws(VaultError) in try vault.items(matching: query) }
    }

    /// Lists the items that match together with their secrets; see the form that blocks.
    public func items<Item: KeychainItem>(
        matching query: ItemQuery<Item>,
        including inclusion: Inclusion
    ) async throws(VaultError) -> [(item: Item, secret: SecretBytes?)] {
        try await offActor(.list) { vault throws(VaultError) in
            try vault.items(matching: query, including: inclusion)
        }
    }

    /// Lists the generic passwords of the vault's service; see the form that blocks.
    public func items() async throws(VaultError) -> [GenericPassword] {
        try await offActor(.list) { vault throws(VaultError) in try vault.items() }
    }

    /// The keys that have a secret; see the form that blocks.
    public func keys() async throws(VaultError) -> Set<String> {
        try await offActor(.list) { vault throws(VaultError) in try vault.keys() }
    }

    /// Removes all items of a scope; see the form that blocks.
    @discardableResult
    public func removeAll(_ scope: RemovalScope) async throws(VaultError) -> Bool {
        try await offActor(.remove) { vault throws(VaultError) in try vault.removeAll(scope) }
    }

    /// Removes all items that match; see the form that blocks.
    @discardableResult
    public func removeAll(matching query: ItemQuery<some KeychainItem>) async throws(VaultError) -> Bool {
        try await offActor(.remove) { vault throws(VaultError) in try vault.removeAll(matching: query) }
    }

    /// The item of a reference that was stored earlier; see the form that blocks.
    public func item<Item: KeychainItem>(
        _ reference: ItemReference,
        as type: Item.Type = GenericPassword.self
    ) async throws(VaultError) -> Item? {
        try await offActor(.read) { vault throws(VaultError) in try vault.item(reference, as: type) }
    }

    /// Changes the secret of an item according to what it is; see the form that blocks.
    @discardableResult
    public func update<Result: Sendable>(
        _ item: some KeychainItem,
        _ body: @Sendable (inout SecretBytes?) throws -> Result
    ) async throws -> Result {
        try await offActor(.update, throwing: { vault in try vault.update(item, body) })
    }

    /// Makes several changes, all or none; see the form that blocks.
    @discardableResult
    public func transaction<Result: Sendable>(
        _ body: @Sendable (inout VaultTransaction) throws -> Result
    ) async throws -> Result {
        try await offActor(.transaction, throwing: { vault in try vault.transaction(body) })
    }
}
