// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainServices
import Synchronization

/// A change that a migration makes to one item.
enum MigrationChange {
    case add(MigratableKeyValuePair<String>, of: MigrationItem)
    /// Changes the protection of the source item in place.
    case protect(MigrationItem)
    case remove(MigrationItem)

    var isRemoval: Bool {
        if case .remove = self { true } else { false }
    }

    /// Whether the change concerns a source item.
    var meetsSource: Bool {
        if case .add = self { false } else { true }
    }
}

/// A source was changed or removed after it was read; nothing was written.
struct SourceChanged: Error {}

/// Makes all changes of a migration, or none.
struct MigrationWriter {
    let destination: Sandbox
    /// The query that found the sources.
    let query: [String: AnyHashable]
    let progress: Progress?
    /// The session that authenticated the reads of the sources.
    let session: AuthenticationSession?

    /// Sets the total of the progress; completes it if there are no changes.
    func beginCounting(_ changes: [MigrationChange]) {
        progress?.totalUnitCount = Int64(max(changes.count, 1))
        progress?.completedUnitCount = changes.isEmpty ? 1 : 0
    }

    /// The error of a failed change; the destination records the status.
    func error(_ failure: KeychainFailure, of change: MigrationChange) -> any Error {
        if failure.status == errSecUserCanceled { return failure }
        // A copy fails as a duplicate if another program has added the key since the check.
        guard change.isRemoval || failure.status == errSecDuplicateItem else { return failure }
        destination.note(failure)
        return change.isRemoval
            ? MigrationError.removalFailed : MigrationError.keyToMigrateAlreadyExistsInValet
    }
}

#if !canImport(Darwin)
extension MigrationWriter {
    /// Makes all changes in one transaction.
    ///
    /// A source that no longer matches what was read was changed or removed, and nothing is written. The
    /// progress is updated on the calling thread, so that observers may call the keychain. Cancellation is
    /// possible until the commit.
    func write(_ changes: [MigrationChange]) throws {
        beginCounting(changes)
        guard !changes.isEmpty else { return }
        let completed = Mutex(0)
        do throws(VaultError) {
            try write(changes) { count in completed.withLock { $0 = count } }
        } catch {
            progress?.completedUnitCount = 0
            let change = changes[min(completed.withLock { $0 }, changes.count - 1)]
            if error.status == errSecItemNotFound, change.meetsSource { throw SourceChanged() }
            throw self.error(KeychainFailure(error, .migrate), of: change)
        }
    }

    private func write(
        _ changes: [MigrationChange],
        noting note: @escaping @Sendable (_ completed: Int) -> Void
    ) throws(VaultError) {
        let (vault, all) = (destination.vault(session), changes.map { passwordChange($0) })
        guard let progress else {
            return try vault.perform(all) { count in
                note(count)
                return true
            }
        }
        let observer = { (count: Int) in progress.completedUnitCount = Int64(count) }
        try ObservedWork.run(observer) { report throws(VaultError) in
            try vault.perform(all) { count in
                report(count)
                note(count)
                return !progress.isCancelled
            }
        }
    }

    private func passwordChange(_ change: MigrationChange) -> PasswordChange {
        switch change {
        case .add(let copy, _): .add(destination.item(copy.key), copy.value)
        case .protect(let item):
            .protect(
                item.reference,
                destination.service.configuration.itemAccessibility ?? .whenUnlocked,
                ifModified: item.modified
            )
        case .remove(let item): .remove(item.reference, ifModified: item.modified)
        }
    }
}
#endif
