// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Deletes items, as SecItemDelete does. Source: Apple's published Security sources.
extension ItemChange {
    func delete(_ requests: [DeleteRequest]) throws(StatusError) {
        guard requests.allSatisfy(\.filter.itemClass.isStored) else { throw StatusError(.itemNotFound) }
        let options = SearchOptions(acceptsUnopened: true)
        try session.change(deleting: true) { () throws(StatusError) in
            for request in requests {
                let matches = try search.allMatches(request.filter, authorized.scope, options)
                for match in matches.prefix(request.limit.count) {
                    try delete(match, leavesTombstones: request.leavesTombstones)
                }
            }
        }
    }

    func delete(_ match: Match, leavesTombstones: Bool) throws(StatusError) {
        let old = match.stored.row.columns
        if old.itemClass == .key {
            session.deletedKeys.append(PersistentReference(itemClass: .key, item: old.item))
        }
        guard let item = match.item else { return try session.deleteUnopened(match.stored) }
        guard old.synchronizable, leavesTombstones, !old.tombstone else {
            return try session.delete(match.stored)
        }
        var attributes = Attributes()
        for rule in ItemSchema.of(old.itemClass).unique {
            attributes[rule.attribute] = item.attributes[rule.attribute]
        }
        attributes[.modificationDate] = .date(session.store.clock())
        var columns = old
        columns.version += 1
        columns.identity = derived(old.itemClass, attributes, synchronizable: true).identity
        columns.tombstone = true
        columns.digests = []
        try session.replace(match.stored, with: seal(columns, attributes, nil, under: nil))
    }
}
