// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Moves or copies the values of another library into a vault, all or none.
///
/// ```swift
/// var migration = Migration(from: .keychainAccess(service: "com.example.mail"), to: vault)
/// migration.conflictPolicy = .keepVault
/// print(try migration.dryRun())
/// try migration.run()
/// ```
public struct Migration: Sendable {
    /// What becomes of a key that the vault has already, with another value.
    public enum ConflictPolicy: Hashable, Sendable {
        /// The migration fails.
        case fail
        /// The vault's value stays.
        case keepVault
        /// The library's value is taken.
        case overwrite
        /// The value that was changed last is taken.
        case keepNewest
    }

    /// What a migration does, or would do; it holds keys and no secret.
    public struct Report: Hashable, Sendable {
        /// The keys in the vault that got a value.
        public internal(set) var migrated: [String] = []
        /// The keys that have the same value in both.
        public internal(set) var unchanged: [String] = []
        /// The library's keys whose value was not taken, because it cannot be read or the function left it out.
        public internal(set) var skipped: [String] = []
        /// The keys that have another value in the vault, whatever became of them.
        public internal(set) var conflicts: [String] = []
        /// The library's keys whose items were removed.
        public internal(set) var removed: [String] = []
        /// Whether nothing was changed because it was a dry run.
        public let isDryRun: Bool

        init(isDryRun: Bool) { self.isDryRun = isDryRun }
    }

    /// How the library keeps its values.
    public let layout: ForeignLayout
    /// Where the values go.
    public let vault: Vault
    /// What becomes of a key that the vault has already, with another value.
    public var conflictPolicy = ConflictPolicy.fail
    /// Whether the library's items are removed in the same transaction; those whose value the vault does not have stay.
    public var removesOriginals = false
    /// Makes key and secret of a value, or `nil` to leave it out.
    public var transform: @Sendable (ForeignValue) throws -> (key: String, secret: SecretBytes)?

    /// Makes a migration that takes strings and data as they are.
    public init(from layout: ForeignLayout, to vault: Vault) {
        self.layout = layout
        self.vault = vault
        transform = { value in value.secret.map { (value.key, $0) } }
    }

    /// Says what ``run()`` would do, and changes nothing.
    ///
    /// - Throws: ``VaultError``, and what the function throws.
    public func dryRun() throws -> Report {
        var report = Report(isDryRun: true)
        _ = try changes(&report)
        return report
    }

    /// Migrates, all or none.
    ///
    /// - Throws: ``VaultError``, and what the function throws; nothing is changed then. The reason is
    ///   ``VaultError/Reason-swift.enum/duplicate`` for a conflict under ``ConflictPolicy/fail``.
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
        var taken: Set<String> = []
        for value in try vault.values(of: layout) {
            guard let new = try transform(value), taken.insert(new.key).inserted else {
                report.skipped.append(value.key)
                continue
            }
            let item = try vault.item(new.key, .migrate)
            guard vault.filter(item) != vault.filter(value.item) else {
                report.unchanged.append(new.key)
                continue
            }
            let outcome = try outcome(new.secret, value, item)
            switch outcome {
            case .taken(let isConflict):
                changes.append(.set(try vault.setRequest(item, new.secret.data, .migrate)))
                report.migrated.append(new.key)
                if isConflict { report.conflicts.append(new.key) }
            case .unchanged: report.unchanged.append(new.key)
            case .kept: report.conflicts.append(new.key)
            }
            if removesOriginals, outcome != .kept {
                changes.append(.delete(DeleteRequest(filter: original(value.item))))
                report.removed.append(value.key)
            }
        }
        return changes
    }

    private enum Outcome: Equatable {
        /// The library's value goes into the vault.
        case taken(isConflict: Bool)
        /// The vault has the same value.
        case unchanged
        /// The vault has another value, which stays.
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

    /// The library's item as it was read: one that was changed meanwhile is not removed, and the migration fails.
    private func original(_ item: GenericPassword) -> ItemFilter {
        var filter = vault.filter(item)
        filter.attributes[.modificationDate] = item.content.attributes[.modificationDate]
        return filter
    }
}
