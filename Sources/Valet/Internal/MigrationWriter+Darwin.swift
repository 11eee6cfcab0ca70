// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation
import KeychainItems
import KeychainServices

extension MigrationWriter {
    /// Returns the dictionary that adds a copy to the destination.
    ///
    /// The writer uses `SecItem` instead of a vault, because the caller's query may select a keychain file of
    /// macOS, which a vault cannot access.
    private func attributes(of copy: MigratableKeyValuePair<String>) -> Query {
        Query(destination.service.attributes).adding(account: copy.key).adding(kSecValueData, copy.value)
    }

    private var protection: Query {
        Query([
            kSecAttrAccessible as String: destination.service.configuration.accessibility
                .secAccessibilityAttribute
        ])
    }

    /// The query for all items of the destination.
    private var items: Query {
        Query(destination.service.attributes).removing(kSecAttrAccessControl)
    }

    /// Makes the changes in sequence, removals last; undoes them on failure.
    ///
    /// Apple's keychain has no transactions. If the program ends during the migration, each value is in the
    /// source, the destination or both. After a failure, a copy is kept if its source was already removed.
    func write(_ changes: [MigrationChange]) throws {
        beginCounting(changes)
        var undo: [Data: () -> Void] = [:]
        for change in changes {
            let isCancelled = progress?.isCancelled == true && !change.isRemoval
            do {
                let status = isCancelled ? errSecUserCanceled : try make(change, &undo)
                guard status == errSecSuccess else {
                    throw self.error(KeychainFailure(status, .migrate), of: change)
                }
            } catch {
                for step in undo.values { step() }
                throw error
            }
            progress?.completedUnitCount += 1
        }
    }

    /// Reads a source item again immediately before changing it; throws if another program changed it.
    ///
    /// Apple's keychain cannot compare and change an item atomically.
    private func look(at item: MigrationItem, _ place: Query) throws(SourceChanged) -> OSStatus {
        let query = place.adding(kSecReturnAttributes, Query.yes).adding(session)
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
                let place = Query.referring(to: reference, like: items)
                undo[item.systemReference] = { _ = SecItem.deleteItems(matching: place.dictionary) }
            }
            return status
        case .protect(let item):
            let place = Query.referring(to: item.systemReference, like: items)
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
                undo[item.systemReference] = {
                    _ = SecItem.update(attributes: old.dictionary, forItemsMatching: place.dictionary)
                }
            }
            return status
        case .remove(let item):
            let place = Query.referring(to: item.systemReference, like: Query(query))
            var status = try look(at: item, place)
            if status == errSecSuccess { status = SecItem.deleteItems(matching: place.dictionary) }
            guard status == errSecSuccess || status == errSecItemNotFound else { return status }
            undo[item.systemReference] = nil
            return errSecSuccess
        }
    }
}

extension Query {
    /// Returns a query for one item by reference, in the keychain that another query selects.
    static func referring(to reference: Data, like query: Query? = nil) -> Self {
        let one = Self([kSecClass as String: kSecClassGenericPassword as String])
            .adding(kSecValuePersistentRef, reference)
        let key = kSecUseDataProtectionKeychain
        return (query?.dictionary.object(forKey: key as NSString)).map { one.adding(key, $0) } ?? one
    }
}
#endif
