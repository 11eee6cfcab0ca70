// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Reads the items of a keychain one by one, with their values; leaves out those whose access control is not satisfied.
struct ItemScan {
    let perform: (Request) throws(StatusError) -> Response

    enum Result {
        case item(FoundItem)
        /// The item of a key that a daemon has generated, or the separate item that contains its private key.
        ///
        /// The key works only in its own store: the second item names the first by its persistent reference, and the
        /// first would have another reference in another store.
        case tokenKey
    }

    func forEach(_ body: (Result) throws(StatusError) -> Void) throws(StatusError) {
        for itemClass in ItemClass.allCases where itemClass.isStored {
            for reference in try references(of: itemClass) {
                if let result = try result(of: reference) { try body(result) }
            }
        }
    }

    private func references(of itemClass: ItemClass) throws(StatusError) -> [PersistentReference] {
        var search = CopyRequest(
            filter: ItemFilter(itemClass: itemClass, synchronizable: .any),
            limit: .all,
            returning: .persistentReference
        )
        search.skipsConstrained = true
        return try found(search).map(\.reference)
    }

    /// Reads an item; `nil` if it was deleted meanwhile, or its access control is not satisfied.
    private func result(of reference: PersistentReference) throws(StatusError) -> Result? {
        var search = CopyRequest(
            filter: ItemFilter(itemClass: reference.itemClass, reference: reference),
            limit: .one,
            returning: [.attributes, .data]
        )
        search.skipsConstrained = true
        guard let found = try found(search).first else { return nil }
        let isTokenKey =
            found.attributes[.tokenID] == .string(KeyToken.identifier)
            || found.attributes[.accessGroup] == .string(KeyToken.privateGroup)
        return isTokenKey ? .tokenKey : .item(found)
    }

    private func found(_ search: CopyRequest) throws(StatusError) -> [FoundItem] {
        do throws(StatusError) {
            guard case .items(let items) = try perform(.copy(search)) else { return [] }
            return items
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
    }
}
