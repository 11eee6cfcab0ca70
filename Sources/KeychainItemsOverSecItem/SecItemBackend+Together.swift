// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
import KeychainModel
import Security
#else
package import KeychainItems
package import KeychainModel
import KeychainServices
#endif

extension SecItemBackend {
    /// Performs changes in order; if one fails, undoes the earlier ones.
    ///
    /// If `progress` returns `false`, undoes all changes made so far. The system has no transactions: other programs
    /// can see the first changes before the last, and a change that cannot be undone remains.
    package func perform(
        together changes: [Request],
        in session: AuthenticationSession?,
        progress: @Sendable (Int) -> Bool
    ) throws(StatusError) {
        var undo: [Request] = []
        do throws(StatusError) {
            for (number, change) in changes.enumerated() {
                undo.append(contentsOf: try makeRevertibly(change, session))
                guard progress(number + 1) else { throw StatusError(.userCanceled) }
            }
        } catch {
            for change in undo.reversed() { _ = try? perform(change, in: session) }
            throw error
        }
    }

    /// Performs a change; returns the requests that undo it.
    ///
    /// A change of identities cannot be undone, so the result is then empty.
    private func makeRevertibly(
        _ change: Request,
        _ session: AuthenticationSession?
    ) throws(StatusError) -> [Request] {
        switch change {
        case .add(let item): return [try addRevertibly(item, session)]
        case .update(let update):
            let restoration = try restoration(of: update.filter, session)
            try self.update(update, session)
            return restoration
        case .delete(let delete):
            // Deleting does not prompt the user, but reading an item with an access control does. Without a
            // session, such an item is not read, and so cannot be restored.
            let restoration = try restoration(of: delete.filter, session, skipsConstrained: session == nil)
            try self.delete(delete, session)
            return restoration
        case .set(let set):
            let restoration = try restoration(of: set.update.filter, session)
            if restoration.isEmpty { return [try addRevertibly(set.item, session)] }
            try self.set(set, session)
            return restoration
        default:
            _ = try perform(change, in: session)
            return []
        }
    }

    /// Adds an item; returns the request that undoes the addition.
    ///
    /// That request deletes by reference, because its attributes could also match an item of another access group.
    private func addRevertibly(
        _ item: NewItem,
        _ session: AuthenticationSession?
    ) throws(StatusError) -> Request {
        var dictionary = try item.dictionary(session)
        dictionary[kSecReturnPersistentRef as String] = true
        var result: CFTypeRef?
        try check(unsafe SecItemAdd(dictionary as CFDictionary, &result))
        guard let data = result as? Data,
            let reference = PersistentReference(system: data, of: item.itemClass)
        else { throw StatusError(.internalInconsistency) }
        return .delete(DeleteRequest(filter: ItemFilter(itemClass: item.itemClass, reference: reference)))
    }

    /// Returns the requests that restore the matching items after a change or deletion.
    private func restoration(
        of filter: ItemFilter,
        _ session: AuthenticationSession?,
        skipsConstrained: Bool = false
    ) throws(StatusError) -> [Request] {
        let found: [FoundItem]
        do throws(StatusError) {
            var request = CopyRequest(filter: filter, limit: .all, returning: [.attributes, .data])
            request.skipsConstrained = skipsConstrained
            found = try items(request, session)
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
        return found.map { found in
            let item = NewItem(found, of: filter.itemClass)
            let update = UpdateRequest(
                filter: ItemFilter(identityOf: item),
                attributes: item.attributes.withoutIdentity(of: filter.itemClass),
                secret: item.secret,
                accessControl: item.accessControl
            )
            return .set(SetRequest(update: update, item: item))
        }
    }
}

extension NewItem {
    /// Creates a new item with the contents of a found item, to add the item again after its deletion.
    fileprivate init(_ found: FoundItem, of itemClass: ItemClass) {
        let schema = ItemSchema.of(itemClass)
        var attributes = Attributes()
        for entry in found.attributes.entries
        where schema[entry.attribute]?.traits.contains(.computed) == false {
            guard ![.creationDate, .modificationDate].contains(entry.attribute) else { continue }
            attributes[entry.attribute] = entry.value
        }
        self.init(
            itemClass: itemClass,
            attributes: attributes,
            secret: found.secret,
            accessControl: found.accessControl.isExplicit ? found.accessControl : nil
        )
    }
}

extension ItemFilter {
    /// Creates a filter for the item that has the same primary key as a new item.
    fileprivate init(identityOf item: NewItem) {
        var attributes = Attributes()
        attributes[.accessGroup] = item.attributes[.accessGroup]
        for rule in ItemSchema.of(item.itemClass).identifying {
            attributes[rule.attribute] = item.attributes[rule.attribute] ?? rule.initial
        }
        let isSynchronizable = item.attributes[.synchronizable] == .number(1)
        self.init(
            itemClass: item.itemClass,
            attributes: attributes,
            synchronizable: .exactly(isSynchronizable)
        )
    }
}

extension Attributes {
    fileprivate func withoutIdentity(of itemClass: ItemClass) -> Self {
        var kept = self
        for rule in ItemSchema.of(itemClass).unique { kept[rule.attribute] = nil }
        return kept
    }
}
