// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Changes that depend on the current value.
///
/// No lock is held while the closure runs. The new value is written in one transaction, which first checks that
/// the item is unchanged. If another writer has changed the item, the closure runs again on that writer's
/// value. No update is lost, and a slow closure blocks no other writer.
extension Vault {
    /// The number of attempts before an update or a transaction fails with a conflict.
    static let attempts = 100

    /// Updates the value of a typed key with a closure.
    ///
    /// ```swift
    /// try vault.update(.counter) { $0 = ($0 ?? 0) + 1 }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - body: Changes the value, which is `nil` if no item has the key. Set it to `nil` to remove it. The
    ///     closure may be called more than once.
    /// - Returns: The result of the last call of the closure.
    /// - Throws: ``VaultError``, or the error of the closure. The stored value is unchanged in that case.
    @discardableResult
    public func update<Value, Result>(
        _ key: SecretKey<Value>,
        _ body: (inout Value?) throws -> Result
    ) throws -> Result {
        let item = try item(key.name, .update)
        return try update(item) { secret in
            var value = try secret.map { try key.value($0, .update) }
            let result = try body(&value)
            secret = try value.map { try key.secret($0, .update) }
            return result
        }
    }

    /// Updates the string of a key with a closure.
    ///
    /// See `update(_:_:)` for a typed key.
    @discardableResult
    public func update<Result>(_ key: String, _ body: (inout String?) throws -> Result) throws -> Result {
        try update(SecretKey<String>(key), body)
    }

    /// Updates the secret of an item with a closure.
    ///
    /// - Parameters:
    ///   - item: The item. If it does not exist, an item with its attributes is added.
    ///   - body: Changes the secret, which is `nil` if the item does not exist. Set it to `nil` to remove the
    ///     item. The closure may be called more than once.
    /// - Returns: The result of the last call of the closure.
    /// - Throws: ``VaultError``, or the error of the closure. The stored item is unchanged in that case. For an
    ///   ``Identity``, the reason is ``VaultError/Reason-swift.enum/unsupported``.
    @discardableResult
    public func update<Result>(
        _ item: some KeychainItem,
        _ body: (inout SecretBytes?) throws -> Result
    ) throws -> Result {
        guard !(item is Identity) else { throw VaultError(.unsupported, .update) }
        let filter = filter(item)
        for _ in 0..<Self.attempts {
            let found = try findOne(filter, returning: [.attributes, .data], .update)
            let old = found.map { SecretBytes($0.secret ?? SecretBuffer()) }
            var new = old
            let result = try body(&new)
            if new == old { return result }
            if try exchange(found, filter, for: new, of: item) { return result }
        }
        throw VaultError(.conflict, .update)
    }

    /// Writes the new secret, or removes the item for `nil`, unless the item has changed since it was read.
    ///
    /// If there was no item, adds one.
    ///
    /// - Returns: `false` if another writer has changed, added or removed the item since; otherwise `true`.
    private func exchange(
        _ found: FoundItem?,
        _ filter: ItemFilter,
        for new: SecretBytes?,
        of item: some KeychainItem
    ) throws(VaultError) -> Bool {
        guard let found else {
            guard let new else { return true }
            do throws(VaultError) {
                try add(item, new.buffer)
                return true
            } catch {
                guard error.reason == .duplicate else { throw error }
                return false
            }
        }
        // Each change of an item increases its modification date, so the filter matches only the unchanged item.
        var unchanged = filter
        unchanged.attributes[.accessGroup] = found.attributes[.accessGroup]
        unchanged.attributes[.modificationDate] = found.attributes[.modificationDate]
        guard let new else { return try change(.delete(DeleteRequest(filter: unchanged)), .update) }
        return try change(.update(UpdateRequest(filter: unchanged, secret: new.buffer)), .update)
    }
}
