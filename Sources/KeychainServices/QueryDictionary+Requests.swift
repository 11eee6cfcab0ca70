// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

extension QueryDictionary {
    /// Reads the dictionary of SecItemAdd.
    static func newItem(_ dictionary: NSDictionary) throws(KeychainError) -> NewItem {
        let query = try Self(dictionary, as: .add)
        let itemClass = try query.itemClass()
        return NewItem(
            itemClass: itemClass,
            attributes: try query.storedAttributes(of: itemClass),
            secret: query.secret,
            accessControl: query.accessControl,
            returning: query.returning
        )
    }

    /// Reads the query of SecItemCopyMatching.
    static func copyRequest(_ dictionary: NSDictionary) throws(KeychainError) -> CopyRequest {
        let query = try Self(dictionary, as: .copy)
        return CopyRequest(filter: try query.filter(), limit: query.limit ?? .one, returning: query.returning)
    }

    /// Reads both dictionaries of SecItemUpdate.
    static func updateRequest(
        _ dictionary: NSDictionary,
        newValues: NSDictionary
    ) throws(KeychainError) -> UpdateRequest {
        let query = try Self(dictionary, as: .update)
        if query.reference?.itemClass == .identity {
            // A reference to an identity cannot be updated: it has no row of its own.
            throw query.isClassImplied
                ? KeychainError(.internalInconsistency) : KeychainError(.noSuchClass, .classMismatch)
        }
        let filter = try query.filter()
        let values = try Self(newValues, as: .newValues)
        return UpdateRequest(
            filter: filter,
            attributes: try values.storedAttributes(of: filter.itemClass),
            secret: values.secret,
            accessControl: values.accessControl
        )
    }

    /// Reads the query of SecItemDelete.
    static func deleteRequest(_ dictionary: NSDictionary) throws(KeychainError) -> DeleteRequest {
        let query = try Self(dictionary, as: .delete)
        return DeleteRequest(filter: try query.filter(), leavesTombstones: query.leavesTombstones)
    }

    /// The attributes that an item shall have, those that travel in other ways included.
    private func storedAttributes(of itemClass: ItemClass) throws(KeychainError) -> Attributes {
        try checkSynchronizableItem()
        var attributes = try attributes(of: itemClass)
        if let synchronizable = try synchronizable() {
            attributes[.synchronizable] = .number(synchronizable == .exactly(true) ? 1 : 0)
        }
        if let accessControl {
            attributes[.accessible] = .text(accessControl.protection.name)
        }
        return attributes
    }

    /// Which items the dictionary means.
    private func filter() throws(KeychainError) -> ItemFilter {
        let itemClass = try itemClass()
        let synchronizable = try synchronizable()
        var attributes = try attributes(of: itemClass)
        if role == .copy, reference != nil {
            let isAlone = attributes.isEmpty && accessControl == nil
            guard isAlone, synchronizable == nil || synchronizable == .any else {
                throw KeychainError(.invalidParameter, .conflictingKeys)
            }
        }
        let tombstones = attributes[.tombstone].map { $0 != .number(0) } ?? false
        attributes[.tombstone] = nil
        if attributes[.multiUser] == .data(Data()) { attributes[.multiUser] = nil }
        return ItemFilter(
            itemClass: itemClass,
            attributes: attributes,
            synchronizable: synchronizable ?? .unspecified,
            reference: reference,
            hostOrSubdomain: hostOrSubdomain,
            tombstones: tombstones
        )
    }
}
