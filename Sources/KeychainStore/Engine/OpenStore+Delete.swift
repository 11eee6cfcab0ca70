// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel

/// SecItemDelete. Source: Apple's published Security sources.
extension OpenStore {
    mutating func delete(
        _ requests: [DeleteRequest],
        _ authorized: AuthorizedRequest
    ) throws(StatusError) -> Response {
        guard requests.allSatisfy(\.filter.itemClass.isStored) else { throw StatusError(.itemNotFound) }
        let options = SearchOptions(acceptsUnopened: true)
        try change(deleting: true) { store throws(StatusError) in
            for request in requests {
                let matches = try store.allMatches(request.filter, authorized.scope, options)
                for match in matches.prefix(request.limit.count) {
                    try store.delete(match, leavesTombstones: request.leavesTombstones)
                }
            }
        }
        return .done
    }

    mutating func delete(_ match: Match, leavesTombstones: Bool) throws(StatusError) {
        let old = match.stored.row.columns
        guard let item = match.item else { return try deleteUnopened(match.stored) }
        guard old.synchronizable, leavesTombstones, !old.tombstone else { return try delete(match.stored) }
        let schema = ItemSchema.of(old.itemClass)
        var attributes = Attributes()
        for rule in schema.unique { attributes[rule.attribute] = item.attributes[rule.attribute] }
        attributes[.modificationDate] = .date(clock())
        let columns = self.columns(
            item: old.item,
            old.itemClass,
            version: old.version + 1,
            attributes,
            protection: old.protection,
            synchronizable: true,
            tombstone: true
        )
        try replace(match.stored, with: sealed(columns, attributes, nil, under: nil).row)
    }
}
