// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainServices
import Synchronization

enum MigrationChange {
    case add(MigratableKeyValuePair<String>, of: MigrationItem)
    /// Changes the protection class of the source item in place.
    case protect(MigrationItem)
    case remove(MigrationItem)

    var isRemoval: Bool {
        if case .remove = self { true } else { false }
    }

    /// Whether the change modifies or removes a source item, rather than adding a copy.
    var changesSource: Bool {
        if case .add = self { false } else { true }
    }
}

/// The error if a source item was changed or removed after being read.
///
/// On Linux, nothing was written. On Apple's platforms, which have no transactions, the changes already made were
/// undone, except removals and the copies of removed items.
struct SourceChanged: Error {}

/// Makes all changes of a migration, or none.
struct MigrationWriter {
    let destination: Sandbox
    let query: [String: AnyHashable]
    let progress: Progress?
    /// The session that authenticated the reads of the sources.
    let session: AuthenticationSession?

    /// Sets the total unit count of the progress; completes the progress if there are no changes.
    func beginCounting(_ changes: [MigrationChange]) {
        progress?.totalUnitCount = Int64(max(changes.count, 1))
        progress?.completedUnitCount = changes.isEmpty ? 1 : 0
    }

    /// Returns the error to throw for a failed change.
    ///
    /// A ``MigrationError`` has no status, so the failure is then recorded in the destination.
    func error(_ failure: KeychainFailure, of change: MigrationChange) -> any Error {
        if failure.status == errSecUserCanceled { return failure }
        // Adding a copy fails as a duplicate if another program has added the key since the check.
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
    /// If a source item was changed or removed after being read, nothing is written. The progress is updated on
    /// the calling thread, not on the thread of the transaction, so that its observers may call the keychain.
    /// Cancelling the progress before the commit cancels the transaction.
    func write(_ changes: [MigrationChange]) throws {
        beginCounting(changes)
        guard !changes.isEmpty else { return }
        let completed = Mutex(0)
        do throws(VaultError) {
            try write(changes) { count in completed.withLock { $0 = count } }
        } catch {
            progress?.completedUnitCount = 0
            let change = changes[min(completed.withLock { $0 }, changes.count - 1)]
            if error.status == errSecItemNotFound, change.changesSource { throw SourceChanged() }
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
