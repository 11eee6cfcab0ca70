// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel

/// SecItemCopyMatching. Source: Apple's published Security sources.
extension OpenStore {
    mutating func copy(
        _ request: CopyRequest,
        _ authorized: AuthorizedRequest
    ) throws(StatusError) -> Response {
        try ensureInPlaceNowAndThen()
        let wanted = request.limit.count
        guard request.filter.itemClass.isStored, wanted > 0 else { throw StatusError(.itemNotFound) }
        if let item = try copyNamed(request, authorized.scope) { return .items([item]) }
        var found: [FoundItem] = []
        let options = SearchOptions(
            secrets: request.returning.needValue(of: request.filter.itemClass),
            exhaustive: request.limit == .all,
            skipsConstrained: request.skipsConstrained
        )
        try items.read { () throws(StatusError) in
            try forEachMatch(request.filter, authorized.scope, options) {
                store,
                match throws(StatusError) in
                guard let item = match.item else { return true }
                try found.append(store.found(item, returning: request.returning))
                return found.count < wanted
            }
        }
        guard !found.isEmpty else { throw StatusError(.itemNotFound) }
        return .items(found)
    }

    /// The item that a query for one names by its identity, read by one statement, which is transaction enough.
    ///
    /// Everything else, a miss included, is for the general search.
    private mutating func copyNamed(
        _ request: CopyRequest,
        _ scope: AccessScope
    ) throws(StatusError) -> FoundItem? {
        guard request.limit == .one, case .groups(let names) = scope, names.count == 1,
            request.filter.reference == nil
        else { return nil }
        let group = digest(ofGroup: names[0])
        let test = ItemTest(request.filter, groups: [group])
        guard test.namesIdentity else { return nil }
        let identity = keys.index.identity(
            of: request.filter.itemClass,
            request.filter.attributes,
            in: group,
            synchronizable: !test.admits(synchronizable: false)
        )
        var found: FoundItem?
        let options = SearchOptions(skipsConstrained: request.skipsConstrained)
        let needsValue = request.returning.needValue(of: request.filter.itemClass)
        let needsOnlyValue = request.returning == .data && test.isDecidedByIdentity
        try items.forEachRow(.identity(identity), secrets: needsValue) {
            stored throws(StatusError) in
            let required = entries(of: test.searchableBesideIdentity, request.filter.itemClass, in: group)
            if needsOnlyValue, let item = try foundByValueAlone(stored.row, test) {
                found = item
            } else if let item = try match(stored, test, required, options, byIdentity: true)?.item {
                found = try self.found(item, returning: request.returning)
            }
            return false
        }
        return found
    }

    /// An item that its identity and its columns choose, with its value and without its attributes, which stay sealed.
    private mutating func foundByValueAlone(
        _ row: ItemRow,
        _ test: ItemTest
    ) throws(StatusError) -> FoundItem? {
        guard test.admits(row.columns) else { return nil }
        try refresh()
        guard let secret = try sealer.exposedSecretAlone(of: row, with: &vouched.keybag) else { return nil }
        return FoundItem(
            reference: PersistentReference(itemClass: row.columns.itemClass, item: row.columns.item),
            attributes: Attributes(),
            accessControl: AccessControl(protection: row.columns.protection),
            secret: secret
        )
    }

    /// As much of an item as was asked for.
    mutating func found(
        _ item: OpenedItem,
        returning: ReturnKeys,
        value: ValueSource = .sealed
    ) throws(StatusError) -> FoundItem {
        let columns = item.row.columns
        var secret: Data?
        if returning.needValue(of: columns.itemClass) {
            secret =
                switch value {
                case .known(let value): value
                case .sealed: try sealer.exposedSecret(of: item)
                }
        }
        return FoundItem(
            reference: PersistentReference(itemClass: columns.itemClass, item: columns.item),
            attributes: returning.needsAttributes ? Self.allAttributes(of: item) : Attributes(),
            accessControl: item.accessControl,
            secret: secret
        )
    }

    /// Where the value of a result comes from.
    enum ValueSource {
        case sealed
        case known(Data?)
    }

    static func allAttributes(of item: OpenedItem) -> Attributes {
        let columns = item.row.columns
        var attributes = item.attributes
        attributes[.synchronizable] = .number(columns.synchronizable ? 1 : 0)
        attributes[.accessible] = .text(columns.protection.name)
        attributes[.tombstone] = .number(columns.tombstone ? 1 : 0)
        attributes[.multiUser] = .data(Data())
        attributes[.sha1] = .data(ItemSealer.changeDigest(of: item))
        return attributes
    }
}
