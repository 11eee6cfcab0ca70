// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Records the changes of a transaction, which makes all of them or none.
///
/// See `transaction(_:)` of ``Vault``.
public struct VaultTransaction {
    private let vault: Vault
    private var steps: [Step] = []

    private struct Step {
        let filter: ItemFilter
        let requests: [Request]
        /// The secret of the item after this step of the transaction; `nil` after a removal.
        let secret: SecretBytes?
    }

    init(_ vault: Vault) { self.vault = vault }

    var requests: [Request] { steps.flatMap(\.requests) }

    /// Reads a secret, including changes made in this transaction.
    public func get(_ key: String) throws(VaultError) -> String? { try get(SecretKey<String>(key)) }

    /// Reads the value of a typed key, including changes made in this transaction.
    public func get<Value>(_ key: SecretKey<Value>) throws(VaultError) -> Value? {
        guard let secret = try secret(vault.filter(key.name, .transaction)) else { return nil }
        return try key.value(secret, .transaction)
    }

    /// Adds a secret; the transaction fails if the key already has a secret.
    public mutating func add(_ value: some SecretConvertible, for key: String) throws(VaultError) {
        try add(vault.item(key, .transaction), secret: value.secret)
    }

    /// Adds a secret, or replaces the existing one.
    public mutating func set(_ value: some SecretConvertible, for key: String) throws(VaultError) {
        try set(vault.item(key, .transaction), secret: value.secret)
    }

    /// Adds the value of a typed key, or replaces the existing one.
    public mutating func set<Value>(_ value: Value, for key: SecretKey<Value>) throws(VaultError) {
        try set(vault.item(key.name, .transaction), secret: key.secret(value, .transaction))
    }

    /// Removes a secret, if it exists.
    public mutating func remove(_ key: String) throws(VaultError) {
        try remove(vault.item(key, .transaction))
    }

    /// Adds an item; the transaction fails if the item already exists.
    public mutating func add(_ item: some KeychainItem, secret: some SecretConvertible) throws(VaultError) {
        let bytes = secret.secret
        record([vault.addRequest(item, bytes.buffer)], vault.filter(item), bytes)
    }

    /// Adds an item, or updates the existing one.
    public mutating func set(_ item: some KeychainItem, secret: some SecretConvertible) throws(VaultError) {
        let bytes = secret.secret
        record(try vault.setRequests(item, bytes.buffer, .transaction), vault.filter(item), bytes)
    }

    /// Removes an item, if it exists.
    public mutating func remove(_ item: some KeychainItem) throws(VaultError) {
        let filter = vault.filter(item)
        if let step = steps.last(where: { $0.filter == filter }) {
            guard step.secret != nil else { return }
        } else {
            guard try vault.contains(filter) else { return }
        }
        let narrowed = try vault.narrowed(filter, .transaction)
        record([Request(deleting: narrowed)], filter, nil)
    }

    private mutating func record(_ requests: [Request], _ filter: ItemFilter, _ secret: SecretBytes?) {
        steps.append(Step(filter: filter, requests: requests, secret: secret))
    }

    private func secret(_ filter: ItemFilter) throws(VaultError) -> SecretBytes? {
        if let step = steps.last(where: { $0.filter == filter }) { return step.secret }
        return try vault.secret(filter)
    }
}

extension Vault {
    /// Makes several changes in one transaction, which is durable on return.
    ///
    /// ```swift
    /// try vault.transaction { changes in
    ///     try changes.set(newToken, for: "token")
    ///     try changes.remove("old token")
    /// }
    /// ```
    ///
    /// No lock is held while the closure runs. Its changes are then made in one transaction. If another
    /// program has meanwhile removed an item that the closure removes, the closure runs again. On Apple's
    /// platforms, which have no transactions, a failure undoes the changes made before it.
    ///
    /// - Parameter body: Records the changes. It may be called more than once.
    /// - Returns: The result of the last call of the closure.
    /// - Throws: ``VaultError``, or the error of the closure. Nothing is changed in that case.
    @discardableResult
    public func transaction<Result>(
        _ body: (inout VaultTransaction) throws -> Result
    ) throws -> Result {
        for _ in 0..<Self.attempts {
            var transaction = VaultTransaction(self)
            let result = try body(&transaction)
            guard !transaction.requests.isEmpty else { return result }
            do throws(VaultError) {
                try change(together: transaction.requests, .transaction)
                return result
            } catch {
                guard error.reason == .notFound else { throw error }
            }
        }
        throw VaultError(.conflict, .transaction)
    }

    func change(
        together changes: [Request],
        _ operation: VaultError.Operation,
        progress: @Sendable (Int) -> Bool = { _ in true }
    ) throws(VaultError) {
        do throws(StatusError) {
            try backend.perform(together: changes, in: session, progress: progress)
        } catch {
            throw failure(error, operation)
        }
    }
}
