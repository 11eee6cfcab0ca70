// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Changes that depend on what is there.
///
/// The closure runs while nothing is locked. What it returns is written in one transaction, which first makes sure that the
/// item still is as it was read; if another writer was quicker, the closure runs again on what that one wrote. So no
/// update is lost, and a slow closure blocks no other writer.
extension Vault {
    /// How often another writer may be quicker.
    static let attempts = 100

    /// Changes the value of a typed key according to what it is.
    ///
    /// ```swift
    /// try vault.update(.counter) { $0 = ($0 ?? 0) + 1 }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - body: Gets the value, `nil` if there is none, and leaves the new one, `nil` to remove it. It may be called more
    ///     than once.
    /// - Returns: What the closure returned the last time.
    /// - Throws: ``VaultError``, and what the closure throws; what was there is there still then.
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

    /// Changes a string according to what it is; see `update(_:_:)`.
    @discardableResult
    public func update<Result>(_ key: String, _ body: (inout String?) throws -> Result) throws -> Result {
        try update(SecretKey<String>(key), body)
    }

    /// Changes the secret of an item according to what it is.
    ///
    /// - Parameters:
    ///   - item: The item; where there is none, one with its attributes is added.
    ///   - body: Gets the secret, `nil` if there is no such item, and leaves the new one, `nil` to remove the item. It may
    ///     be called more than once.
    /// - Returns: What the closure returned the last time.
    /// - Throws: ``VaultError``, and what the closure throws; what was there is there still then.
    @discardableResult
    public func update<Result>(
        _ item: some KeychainItem,
        _ body: (inout SecretBytes?) throws -> Result
    ) throws -> Result {
        guard !(item is Identity) else { throw VaultError(.unsupported, .update) }
        let filter = filter(item)
        for _ in 0..<Self.attempts {
            let found = try findOne(filter, returning: [.attributes, .data], .update)
            let old = found.map { SecretBytes($0.secret ?? Data()) }
            var new = old
            let result = try body(&new)
            if new == old { return result }
            if try exchange(found, filter, for: new, of: item) { return result }
        }
        throw VaultError(.conflict, .update)
    }

    /// Writes a secret unless another writer was quicker; returns whether it was written.
    private func exchange(
        _ found: FoundItem?,
        _ filter: ItemFilter,
        for new: SecretBytes?,
        of item: some KeychainItem
    ) throws(VaultError) -> Bool {
        guard let found else {
            guard let new else { return true }
            do throws(VaultError) {
                try add(item, new.data)
                return true
            } catch {
                guard error.reason == .duplicate else { throw error }
                return false
            }
        }
        // Every change of an item gives it a later date.
        var unchanged = filter
        unchanged.attributes[.accessGroup] = found.attributes[.accessGroup]
        unchanged.attributes[.modificationDate] = found.attributes[.modificationDate]
        guard let new else { return try change(.delete(DeleteRequest(filter: unchanged)), .update) }
        return try change(.update(UpdateRequest(filter: unchanged, secret: new.data)), .update)
    }
}
