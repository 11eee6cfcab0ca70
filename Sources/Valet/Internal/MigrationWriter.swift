// SPDX-License-Identifier: Apache-2.0

import Foundation
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
    /// The context that authenticated the reads of the sources.
    let context: LAContext?

    /// Sets the total of the progress; completes it if there are no changes.
    private func beginCounting(_ changes: [MigrationChange]) {
        progress?.totalUnitCount = Int64(max(changes.count, 1))
        progress?.completedUnitCount = changes.isEmpty ? 1 : 0
    }

    private func attributes(of copy: MigratableKeyValuePair<String>) -> Query {
        destination.attributes.adding(account: copy.key).adding(kSecValueData, copy.value)
    }

    private var protection: Query {
        Query([
            kSecAttrAccessible as String: destination.service.configuration.accessibility
                .secAccessibilityAttribute
        ])
    }

    /// The error of a failed change; the destination records the status.
    private func error(_ status: OSStatus, of change: MigrationChange) -> any Error {
        let failure = KeychainFailure(status, .migrate)
        if status == errSecUserCanceled { return failure }
        // A copy fails as a duplicate if another program has added the key since the check.
        guard change.isRemoval || status == errSecDuplicateItem else { return failure }
        destination.note(failure)
        return change.isRemoval
            ? MigrationError.removalFailed : MigrationError.keyToMigrateAlreadyExistsInValet
    }
}

#if canImport(Darwin)
extension MigrationWriter {
    /// Makes the changes in sequence, removals last; undoes them on failure.
    ///
    /// Apple's keychain has no transactions. If the program ends in between, each value is at its source, its
    /// destination or both. A copy whose source was removed is kept.
    func write(_ changes: [MigrationChange]) throws {
        beginCounting(changes)
        var undo: [Data: () -> Void] = [:]
        for change in changes {
            let isCancelled = progress?.isCancelled == true && !change.isRemoval
            do {
                let status = isCancelled ? errSecUserCanceled : try make(change, &undo)
                guard status == errSecSuccess else { throw self.error(status, of: change) }
            } catch {
                for step in undo.values { step() }
                throw error
            }
            progress?.completedUnitCount += 1
        }
    }

    /// Reads a source again immediately before it is changed.
    ///
    /// Apple's keychain has no atomic operation for this.
    private func look(at item: MigrationItem, _ place: Query) throws(SourceChanged) -> OSStatus {
        let query = place.adding(kSecReturnAttributes, Query.yes).adding(context)
        let (status, result) = SecItem.copy(matching: query.dictionary)
        guard status == errSecSuccess else { return status }
        guard let attributes = result as? NSDictionary, MigrationItem.modified(attributes) == item.modified
        else { throw SourceChanged() }
        return errSecSuccess
    }

    private func make(
        _ change: MigrationChange,
        _ undo: inout [Data: () -> Void]
    ) throws(SourceChanged) -> OSStatus {
        switch change {
        case .add(let copy, let item):
            var result: CFTypeRef?
            let new = attributes(of: copy).adding(kSecReturnPersistentRef, Query.yes)
            let status = unsafe SecItemAdd(new.dictionary as CFDictionary, &result)
            if let reference = result as? Data {
                let place = Query.referring(to: reference, like: destination.items)
                undo[item.reference] = { _ = SecItem.deleteItems(matching: place.dictionary) }
            }
            return status
        case .protect(let item):
            let place = Query.referring(to: item.reference, like: destination.items)
            var status = try look(at: item, place)
            if status == errSecSuccess {
                status = SecItem.update(
                    attributes: protection.dictionary,
                    forItemsMatching: place.dictionary
                )
            }
            if status == errSecItemNotFound { throw SourceChanged() }
            if status == errSecSuccess, let accessibility = item.accessibility {
                let old = Query([kSecAttrAccessible as String: accessibility])
                undo[item.reference] = {
                    _ = SecItem.update(attributes: old.dictionary, forItemsMatching: place.dictionary)
                }
            }
            return status
        case .remove(let item):
            let place = Query.referring(to: item.reference, like: Query(query))
            var status = try look(at: item, place)
            if status == errSecSuccess { status = SecItem.deleteItems(matching: place.dictionary) }
            guard status == errSecSuccess || status == errSecItemNotFound else { return status }
            undo[item.reference] = nil
            return errSecSuccess
        }
    }
}
#else
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
        let mayGoOn = { @Sendable [progress] (count: Int) in
            completed.withLock { $0 = count }
            return progress?.isCancelled != true
        }
        let observer = progress.map { progress in
            { (count: Int) in progress.completedUnitCount = Int64(count) }
        }
        let status = SecItemApply(changes.map { itemChange($0) }, progress: mayGoOn, observer: observer)
        if status == errSecSuccess { return }
        progress?.completedUnitCount = 0
        let change = changes[min(completed.withLock { $0 }, changes.count - 1)]
        if status == errSecItemNotFound, change.meetsSource { throw SourceChanged() }
        throw error(status, of: change)
    }

    private func itemChange(_ change: MigrationChange) -> SecItemChange {
        switch change {
        case .add(let copy, _): .add(attributes(of: copy).dictionary)
        case .protect(let item): .update(place(of: item), protection.dictionary, ifModified: item.modified)
        case .remove(let item):
            context == nil
                ? .deletePassword(reference: item.reference, ifModified: item.modified)
                : .delete(place(of: item), ifModified: item.modified)
        }
    }

    private func place(of item: MigrationItem) -> NSDictionary {
        Query.referring(to: item.reference).adding(context).dictionary
    }
}
#endif
