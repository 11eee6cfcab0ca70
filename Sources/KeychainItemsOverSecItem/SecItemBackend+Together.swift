// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import KeychainModel
#else
package import KeychainItems
package import KeychainModel
#endif

extension SecItemBackend {
    /// Performs changes in order; if one fails, it undoes the earlier ones.
    ///
    /// The system has no transactions: other programs can see some of the changes before the others, and a change that
    /// cannot be undone remains.
    package func perform(
        together changes: [Request],
        in session: AuthenticationSession?
    ) throws(StatusError) {
        var undo: [Request] = []
        do throws(StatusError) {
            for change in changes {
                let inverse = try inverse(of: change, session)
                _ = try perform(change, in: session)
                undo.append(contentsOf: inverse)
            }
        } catch {
            for change in undo.reversed() { _ = try? perform(change, in: session) }
            throw error
        }
    }

    /// The requests that restore the items which a change is about to modify.
    private func inverse(
        of change: Request,
        _ session: AuthenticationSession?
    ) throws(StatusError) -> [Request] {
        switch change {
        case .add(let item): return [.delete(DeleteRequest(filter: ItemFilter(identityOf: item)))]
        case .update(let update): return try restoration(of: update.filter, session)
        case .delete(let delete): return try restoration(of: delete.filter, session)
        case .set(let set):
            let restoration = try restoration(of: set.update.filter, session)
            let deletion = Request.delete(DeleteRequest(filter: ItemFilter(identityOf: set.item)))
            return restoration.isEmpty ? [deletion] : restoration
        default: return []
        }
    }

    private func restoration(
        of filter: ItemFilter,
        _ session: AuthenticationSession?
    ) throws(StatusError) -> [Request] {
        let found: [FoundItem]
        do throws(StatusError) {
            let request = CopyRequest(filter: filter, limit: .all, returning: [.attributes, .data])
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
    /// A new item with the contents of a found one, to add it again.
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
    /// Matches the item with the same primary key.
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
