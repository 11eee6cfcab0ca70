// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A change of a generic password in a transaction, for the wrapper libraries.
///
/// If `ifModified` is not `nil`, the change fails unless the item still has that modification date.
package enum PasswordChange: Sendable {
    case add(GenericPassword, Data)
    case protect(ItemReference, ItemAccessibility, ifModified: Date?)
    case remove(ItemReference, ifModified: Date?)
}

extension Vault {
    /// Makes changes in order, all or nothing.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - progress: Receives the number of completed changes and returns whether to continue. It must not
    ///     call the keychain.
    /// - Throws: ``VaultError``, with the reason `cancelled` if `progress` returned false.
    package func perform(
        _ changes: [PasswordChange],
        progress: @Sendable (Int) -> Bool
    ) throws(VaultError) {
        try change(together: changes.map { request($0) }, .transaction, progress: progress)
    }

    /// Deletes all matching items and adds a new one, in one transaction.
    ///
    /// - Returns: Whether the matches were replaced; `false` if no item matches, or if another item has the
    ///   primary key of the new item.
    package func replaceAll(
        matching query: ItemQuery<GenericPassword>,
        with item: GenericPassword,
        _ value: Data
    ) throws(VaultError) -> Bool {
        let removal = Request.delete(DeleteRequest(filter: scoped(query.filter)))
        do throws(VaultError) {
            try change(together: [removal, addRequest(item, SecretBytes(value).buffer)], .set)
            return true
        } catch {
            guard error.reason == .notFound || error.reason == .duplicate else { throw error }
            return false
        }
    }

    /// Whether the keychain can be read but not written; `false` if the back end does not report this.
    package var isReadOnly: Bool {
        backend.state(for: .always).error?.reason == .readOnlyStore
    }

    private func request(_ change: PasswordChange) -> Request {
        switch change {
        case .add(let item, let value): return addRequest(item, SecretBytes(value).buffer)
        case .protect(let reference, let accessibility, let date):
            var update = UpdateRequest(filter: filter(reference, ifModified: date))
            update.attributes[.accessible] = .string(accessibility.rawValue)
            return .update(update)
        case .remove(let reference, let date):
            return .delete(DeleteRequest(filter: filter(reference, ifModified: date)))
        }
    }

    private func filter(_ reference: ItemReference, ifModified date: Date?) -> ItemFilter {
        var filter = ItemFilter(
            itemClass: .genericPassword,
            synchronizable: .any,
            reference: reference.reference
        )
        filter.attributes[.modificationDate] = date.map { .date($0.timeIntervalSinceReferenceDate) }
        return filter
    }
}
