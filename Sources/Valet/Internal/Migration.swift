// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainServices

/// A migration into a sandbox (the values of a valet), checked item by item before anything is written.
///
/// The checks and their order are those of Valet 5.1. Unlike in Valet, an item that differs from its copy only in
/// accessibility is changed in place, and a migration removes only items that it copied and undoes only its own
/// changes.
struct Migration {
    typealias Source = MigratableKeyValuePair<AnyHashable>
    typealias Copy = MigratableKeyValuePair<String>

    /// The number of attempts before a migration fails because a source item was changed after being read.
    private static let attempts = 8

    let query: [String: AnyHashable]
    let destination: Sandbox
    var removesSources = false
    var progress: Progress?
    /// The session that authenticates the user for reads of the source items.
    var session: AuthenticationSession?

    /// Migrates each item under its existing key.
    func run() throws {
        try checkDestination()
        try run { source throws in
            guard let key = source.key.base as? String else { throw MigrationError.keyToMigrateInvalid }
            return Copy(key: key, value: source.value)
        }
    }

    /// Migrates each item, with the key and value that a closure returns for it.
    ///
    /// The closure may be called again for an item.
    ///
    /// - Throws: If a source changed in every attempt: `removalFailed` if the migration removes sources,
    ///   otherwise a ``KeychainFailure``.
    func run(_ copy: (Source) throws -> Copy?) throws {
        try MigrationQuery.check(query)
        let writer = MigrationWriter(
            destination: destination,
            query: query,
            progress: progress,
            session: session
        )
        var changes: [MigrationChange] = []
        for _ in 0..<Self.attempts {
            changes = try plan(MigrationItem.all(matching: Query(query), session), copy)
            do { return try writer.write(changes) } catch is SourceChanged {}
        }
        let failure = KeychainFailure(.couldNotAccessKeychain, status: errSecItemNotFound, .migrate)
        guard changes.contains(where: \.isRemoval) else { throw failure }
        destination.note(failure)
        throw MigrationError.removalFailed
    }

    /// Throws if the destination is inaccessible; called first, because Valet reports this before an invalid query.
    private func checkDestination() throws(KeychainFailure) {
        do throws(KeychainFailure) {
            _ = try SandboxCalls.failing(.migrate) { () throws(VaultError) in
                try destination.silentVault.hasItem(matching: destination.query)
            }
        } catch {
            guard error.status == errSecInteractionNotAllowed, destination.hasAccessControl else {
                throw error
            }
        }
    }

    private func plan(_ items: [MigrationItem], _ copy: (Source) throws -> Copy?) throws -> [MigrationChange]
    {
        var (copies, removals): ([MigrationChange], [MigrationChange]) = ([], [])
        // Keys are compared by bytes: canonically equivalent strings are different keys.
        var keys: Set<[UInt8]> = []
        let existing = MigrationDestination(destination)
        for item in items {
            guard let source = try pair(of: item), let copy = try copy(source) else { continue }
            guard !copy.key.isEmpty else { throw MigrationError.keyToMigrateInvalid }
            guard keys.insert(Array(copy.key.utf8)).inserted else {
                throw MigrationError.duplicateKeyToMigrate
            }
            guard !copy.value.isEmpty else { throw MigrationError.dataToMigrateInvalid }
            if try existing.isSourceItem(item, for: copy.key) {
                // The key's item in the destination is the source item itself, so another value would replace
                // the source's.
                guard copy.value == item.value else { throw MigrationError.keyToMigrateAlreadyExistsInValet }
                copies.append(.protect(item))
            } else {
                copies.append(.add(copy, of: item))
                if removesSources { removals.append(.remove(item)) }
            }
        }
        return copies + removals
    }

    /// Returns the key and the value of an item.
    ///
    /// Returns `nil` for an item without a value, and for the canary, the item with which `canAccessKeychain`
    /// tests the keychain.
    private func pair(of item: MigrationItem) throws(MigrationError) -> Source? {
        guard let value = item.value else { return nil }
        guard !value.isEmpty else { throw .dataToMigrateInvalid }
        guard let account = item.account else { throw .keyToMigrateInvalid }
        return account == AnyHashable(SandboxCalls.canaryKey) ? nil : Source(key: account, value: value)
    }
}

extension Sandbox {
    func migrate(
        _ query: [String: AnyHashable],
        _ removesSources: Bool,
        _ progress: Progress? = nil,
        session: AuthenticationSession? = nil
    ) throws {
        try reportingAny {
            var migration = Migration(query: query, destination: self, removesSources: removesSources)
            (migration.progress, migration.session) = (progress, session)
            try migration.run()
        }
    }
}
