// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects
import KeychainUserPresence

/// Builds requests from dictionaries, except for identities.
extension QueryDictionary {
    func addRequest() throws(StatusError) -> Request {
        let itemClass = try itemClass()
        if let identity { return .addIdentity(try newIdentity(identity)) }
        return .add(try newItem(of: itemClass, object: object, returning: returning))
    }

    func copyRequest() throws(StatusError) -> Request {
        let (itemClass, limit) = (try itemClass(), limit ?? .one)
        try checkCompanions(of: itemClass)
        if itemClass == .identity {
            let filter = try identityFilter()
            var request = CopyIdentitiesRequest(filter: filter, limit: limit, returning: returning)
            request.skipsConstrained = authentication.interface == .skip
            return .copyIdentities(request)
        }
        var request = CopyRequest(filter: try filter(of: itemClass), limit: limit, returning: returning)
        request.skipsConstrained = authentication.interface == .skip
        return .copy(request)
    }

    func updateRequest(newValues: Self) throws(StatusError) -> Request {
        let itemClass = try itemClass()
        if itemClass == .identity { return .updateEach(try identityUpdates(newValues)) }
        return .update(try update(of: itemClass, object: object, newValues))
    }

    func deleteRequest() throws(StatusError) -> Request {
        let itemClass = try itemClass()
        if itemClass == .identity { return try identityDeletion() }
        return .delete(DeleteRequest(filter: try filter(of: itemClass), leavesTombstones: leavesTombstones))
    }

    /// Returns a new item, with the dictionary's attributes and others derived from the object.
    func newItem(
        of itemClass: ItemClass,
        object: (any ItemObject)?,
        returning: ReturnKeys
    ) throws(StatusError) -> NewItem {
        var attributes = try storedAttributes(of: itemClass)
        if let object { attributes.complete(from: object.storable) }
        return NewItem(
            itemClass: itemClass,
            attributes: attributes,
            secret: secret ?? object?.storable.storedValue,
            accessControl: accessControl,
            returning: returning
        )
    }

    func update(
        of itemClass: ItemClass,
        object: (any ItemObject)?,
        _ newValues: Self
    ) throws(StatusError) -> UpdateRequest {
        UpdateRequest(
            filter: try filter(of: itemClass, object: object),
            attributes: try newValues.storedAttributes(of: itemClass),
            secret: newValues.secret,
            accessControl: newValues.accessControl
        )
    }

    /// Returns the attributes to store, with `kSecAttrSynchronizable` and the access control's protection class.
    private func storedAttributes(of itemClass: ItemClass) throws(StatusError) -> Attributes {
        try checkSynchronizableItem()
        var attributes = try attributes(of: itemClass)
        if let synchronizable = try synchronizable() {
            attributes[.synchronizable] = .number(synchronizable == .exactly(true) ? 1 : 0)
        }
        if let accessControl {
            attributes[.accessible] = .string(accessControl.protection.name)
        }
        return attributes
    }

    func filter(
        of itemClass: ItemClass,
        object: (any ItemObject)? = nil
    ) throws(StatusError) -> ItemFilter {
        var attributes = try attributes(of: itemClass)
        if let object = object ?? self.object {
            attributes.fill(from: object.identifyingAttributes(for: role))
        }
        let tombstones = attributes[.tombstone].map { $0 != .number(0) } ?? false
        attributes[.tombstone] = nil
        if attributes[.multiUser] == .data([]) { attributes[.multiUser] = nil }
        if case .data(let name)? = attributes[.issuer], let name = NormalizedName(parsing: Data(name)) {
            attributes[.issuer] = .data(Array(name.content))
        }
        return ItemFilter(
            itemClass: itemClass,
            attributes: attributes,
            synchronizable: try synchronizable() ?? .unspecified,
            reference: reference,
            hostOrSubdomain: hostOrSubdomain,
            tombstones: tombstones
        )
    }

    /// Throws if a search contains a persistent reference together with attributes or an access control.
    ///
    /// Only `kSecAttrSynchronizable` with `kSecAttrSynchronizableAny` is allowed, because it excludes no item.
    private func checkCompanions(of itemClass: ItemClass) throws(StatusError) {
        guard reference != nil else { return }
        let isAlone = try attributes(of: itemClass).isEmpty && accessControl == nil
        guard isAlone, try [nil, .any].contains(synchronizable()) else {
            throw StatusError(.invalidParameter, .conflictingKeys)
        }
    }
}
