// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Moves or copies values of another library into a vault, atomically.
///
/// ```swift
/// var migration = Migration(from: .keychainAccess(service: "com.example.mail"), to: vault)
/// migration.conflictPolicy = .keepVault
/// print(try migration.dryRun())
/// try migration.run()
/// ```
public struct Migration: Sendable {
    /// How to handle a key whose value in the vault differs from the library's.
    public enum ConflictPolicy: Hashable, Sendable {
        /// The migration fails.
        case fail
        /// Keeps the value in the vault.
        case keepVault
        /// Overwrites the vault's value with the library's.
        case overwrite
        /// Keeps the value that was modified last.
        case keepNewest
    }

    /// The result of a migration or dry run: keys, but no secrets.
    public struct Report: Hashable, Sendable {
        /// The keys in the vault that received a value.
        public internal(set) var migrated: [String] = []
        /// The keys whose value in the vault was already the same as the library's.
        ///
        /// Also the keys for which the vault and the library use the same item.
        public internal(set) var unchanged: [String] = []
        /// The library's keys that were skipped.
        ///
        /// A key is skipped if ``Migration/transform`` returns `nil` for its value. The default closure does so if the
        /// value has no ``ForeignValue/secret``. A key is also skipped if the closure returns the same new key as for
        /// an earlier value.
        public internal(set) var skipped: [String] = []
        /// The keys whose value in the vault differed from the library's before the migration.
        public internal(set) var conflicts: [String] = []
        /// The library's keys whose items were removed.
        public internal(set) var removed: [String] = []
        /// Whether this was a dry run, which changes nothing.
        public let isDryRun: Bool

        init(isDryRun: Bool) { self.isDryRun = isDryRun }
    }

    /// How the library stores its values.
    public let layout: ForeignLayout
    /// The vault that receives the values.
    public let vault: Vault
    /// How to handle a key whose value in the vault differs from the library's.
    public var conflictPolicy = ConflictPolicy.fail
    /// Whether to remove the library's items in the same transaction.
    ///
    /// An item is removed only if the vault contains its value afterwards.
    public var removesOriginals = false
    /// Converts a value to the key and the secret to store; returns `nil` to skip the value.
    public var transform: @Sendable (ForeignValue) throws -> (key: String, secret: SecretBytes)?

    /// Creates a migration that copies strings and data unchanged.
    ///
    /// - Parameters:
    ///   - layout: How the library stores its values.
    ///   - vault: The vault that receives the values.
    public init(from layout: ForeignLayout, to vault: Vault) {
        self.layout = layout
        self.vault = vault
        transform = { value in value.secret.map { (value.key, $0) } }
    }

    /// Reports the result of ``run()`` without changing anything.
    ///
    /// - Returns: The report. If it contains conflicts, ``run()`` throws under ``ConflictPolicy/fail``.
    /// - Throws: ``VaultError``, or the error of ``transform``.
    public func dryRun() throws -> Report {
        var report = Report(isDryRun: true)
        _ = try changes(&report)
        return report
    }

    /// Migrates the values in one transaction.
    ///
    /// - Returns: The report.
    /// - Throws: ``VaultError``, or the error of ``transform``. Nothing is changed in that case. The reason
    ///   is ``VaultError/Reason-swift.enum/duplicate`` for a conflict under ``ConflictPolicy/fail``.
    @discardableResult
    public func run() throws -> Report {
        var report = Report(isDryRun: false)
        let changes = try changes(&report)
        if !report.conflicts.isEmpty, conflictPolicy == .fail { throw VaultError(.duplicate, .migrate) }
        if !changes.isEmpty { try vault.change(together: changes, .migrate) }
        return report
    }
}

extension Migration {
    private func changes(_ report: inout Report) throws -> [Request] {
        var changes: [Request] = []
        // Compare keys by bytes, because the keychain distinguishes two Unicode encodings of the same string.
        var taken: Set<[UInt8]> = []
        for value in try vault.values(of: layout) {
            guard let new = try transform(value), taken.insert(Array(new.key.utf8)).inserted else {
                report.skipped.append(value.key)
                continue
            }
            let item = try vault.item(new.key, .migrate)
            guard !isSame(value.item, as: item) else {
                report.unchanged.append(new.key)
                continue
            }
            let outcome = try outcome(new.secret, value, item)
            switch outcome {
            case .taken(let isConflict):
                changes.append(.set(try vault.setRequest(item, new.secret.buffer, .migrate)))
                report.migrated.append(new.key)
                if isConflict { report.conflicts.append(new.key) }
            case .unchanged:
                // Write the vault's value again in the transaction that removes the original: another program
                // may have deleted the vault's value since it was read.
                if removesOriginals {
                    changes.append(.set(try vault.setRequest(item, new.secret.buffer, .migrate)))
                }
                report.unchanged.append(new.key)
            case .kept: report.conflicts.append(new.key)
            }
            if removesOriginals, outcome != .kept {
                changes.append(.delete(DeleteRequest(filter: original(value.item))))
                report.removed.append(value.key)
            }
        }
        return changes
    }

    /// Whether the library's item and the vault's item are the same item of the keychain.
    private func isSame(_ foreign: GenericPassword, as item: GenericPassword) -> Bool {
        let own = vault.filter(item)
        var other = vault.filter(foreign)
        // Ignore the library item's group if the vault has none: such a vault reads the items of every group.
        if own.attributes[.accessGroup] == nil { other.attributes[.accessGroup] = nil }
        return own == other
    }

    private enum Outcome: Equatable {
        /// The vault receives the library's value, which in a conflict replaces a different value of the vault.
        case taken(isConflict: Bool)
        /// The vault has the library's value already.
        case unchanged
        /// The vault keeps its own value, which differs from the library's.
        case kept
    }

    private func outcome(
        _ secret: SecretBytes,
        _ value: ForeignValue,
        _ item: GenericPassword
    ) throws -> Outcome {
        guard let old = try vault.get(item) else { return .taken(isConflict: false) }
        guard old != secret else { return .unchanged }
        switch conflictPolicy {
        case .fail, .keepVault: return .kept
        case .overwrite: return .taken(isConflict: true)
        case .keepNewest: return try isNewer(value.item, than: item) ? .taken(isConflict: true) : .kept
        }
    }

    private func isNewer(_ foreign: GenericPassword, than item: GenericPassword) throws -> Bool {
        let found = try vault.findOne(vault.filter(item), returning: .attributes, .migrate)
        guard let own = found.flatMap({ GenericPassword(content: ItemContent($0)).modified }) else {
            return true
        }
        return foreign.modified.map { $0 > own } ?? false
    }

    /// Returns a filter that matches the library's item only while the item is unchanged.
    ///
    /// If the item has changed since the migration read it, removing it fails, and so does the migration.
    private func original(_ item: GenericPassword) -> ItemFilter {
        var filter = vault.filter(item)
        filter.attributes[.modificationDate] = item.content.attributes[.modificationDate]
        return filter
    }
}
