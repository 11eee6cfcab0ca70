// SPDX-License-Identifier: Apache-2.0

import DataProtection
import FoundationEssentials
import ItemStore
import KeychainModel

/// SecItemCopyMatching. Source: `secitem.md` sections 8 and 9.
extension OpenStore {
    mutating func copy(
        _ request: CopyRequest,
        _ authorized: AuthorizedRequest
    ) throws(KeychainError) -> Response {
        let wanted = request.limit.count
        guard request.filter.itemClass.isStored, wanted > 0 else { throw KeychainError(.itemNotFound) }
        var found: [FoundItem] = []
        let options = SearchOptions(
            secrets: request.returning.contains(.data),
            exhaustive: request.limit == .all
        )
        try items.read { () throws(KeychainError) in
            try forEachMatch(request.filter, authorized.scope, options) {
                store,
                match throws(KeychainError) in
                guard let item = match.item else { return true }
                try found.append(store.found(item, returning: request.returning))
                return found.count < wanted
            }
        }
        guard !found.isEmpty else { throw KeychainError(.itemNotFound) }
        return .items(found)
    }

    /// As much of an item as was asked for.
    mutating func found(
        _ item: OpenedItem,
        returning: ReturnKeys
    ) throws(KeychainError) -> FoundItem {
        let columns = item.row.columns
        return try FoundItem(
            reference: PersistentReference(itemClass: columns.itemClass, item: columns.item),
            attributes: returning.needsAttributes ? Self.allAttributes(of: item) : Attributes(),
            accessControl: AccessControl(protection: columns.protection),
            secret: returning.contains(.data)
                ? sealer.exposedSecret(of: item, with: &vouched.keybag) : nil
        )
    }

    private static func allAttributes(of item: OpenedItem) -> Attributes {
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

extension ReturnKeys {
    /// Whether the result has attributes in it, asked for or as a side effect.
    fileprivate var needsAttributes: Bool {
        contains(.attributes) || contains(.reference) || isSuperset(of: [.data, .persistentReference])
    }
}

extension ItemClass {
    /// Whether items of the class can be kept.
    var isStored: Bool { self == .genericPassword || self == .internetPassword }
}
