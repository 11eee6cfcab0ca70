// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The calls that all others are made of: from a filter to the back end, from its answer to a result or an error.
extension Vault {
    /// The items that a request finds; none is no failure.
    func find(_ request: CopyRequest, _ operation: VaultError.Operation) throws(VaultError) -> [FoundItem] {
        do throws(StatusError) {
            let request = Request(finding: request)
            guard case .items(let items) = try backend.perform(request, in: session) else { return [] }
            return items
        } catch {
            if error.status == .itemNotFound { return [] }
            throw failure(error, operation)
        }
    }

    /// The one item of a filter; `nil` if there is none.
    ///
    /// - Throws: ``VaultError/Reason-swift.enum/ambiguous`` for more than one.
    func findOne(
        _ filter: ItemFilter,
        returning: ReturnKeys,
        _ operation: VaultError.Operation
    ) throws(VaultError) -> FoundItem? {
        let isUnique =
            filter.attributes[.accessGroup] != nil || filter.reference != nil || backend.reachesOneGroup
        let limit = isUnique ? MatchLimit.one : .atMost(2)
        let found = try find(CopyRequest(filter: filter, limit: limit, returning: returning), operation)
        guard found.count <= 1 else { throw VaultError(.ambiguous, operation) }
        return found.first
    }

    /// Carries out a change; returns whether there was something to change.
    @discardableResult
    func change(_ request: Request, _ operation: VaultError.Operation) throws(VaultError) -> Bool {
        do throws(StatusError) {
            _ = try backend.perform(request, in: session)
            return true
        } catch {
            if error.status == .itemNotFound { return false }
            throw failure(error, operation)
        }
    }

    /// The filter with the access group of the item that it matches, so that a change meets one item at most.
    func narrowed(_ filter: ItemFilter, _ operation: VaultError.Operation) throws(VaultError) -> ItemFilter {
        guard filter.attributes[.accessGroup] == nil, filter.reference == nil, !backend.reachesOneGroup
        else { return filter }
        var filter = filter
        let found = try findOne(filter, returning: .attributes, operation)
        filter.attributes[.accessGroup] =
            found?.attributes[.accessGroup] ?? backend.defaultGroup.map { .text($0) }
        return filter
    }

    func failure(_ error: StatusError, _ operation: VaultError.Operation) -> VaultError {
        if session?.isInvalidated == true {
            return VaultError(.cancelled, operation, status: Status.userCanceled.rawValue)
        }
        guard error.status == .interactionNotAllowed, backend.isBeforeFirstUnlock else {
            return VaultError(error, operation)
        }
        return VaultError(error, operation, until: .firstUnlock)
    }
}

extension Vault {
    func secret(_ filter: ItemFilter) throws(VaultError) -> SecretBytes? {
        // An item that was added without a value has an empty one.
        try findOne(filter, returning: .data, .read).map { SecretBytes($0.secret ?? Data()) }
    }

    /// Whether there is an item; the user is not asked, as an item that would ask is there.
    func contains(_ filter: ItemFilter) throws(VaultError) -> Bool {
        var vault = self
        vault.session = Self.silent
        do throws(VaultError) {
            return try !vault.find(CopyRequest(filter: filter, limit: .one), .read).isEmpty
        } catch {
            guard error.reason == .interactionRequired else { throw error }
            return true
        }
    }

    private static let silent = AuthenticationSession(mayAsk: false)

    func remove(_ filter: ItemFilter) throws(VaultError) -> Bool {
        try change(Request(deleting: narrowed(filter, .remove)), .remove)
    }

    func add(_ item: some KeychainItem, _ secret: Data?) throws(VaultError) {
        try change(addRequest(item, secret), .add)
    }

    func set(_ item: some KeychainItem, _ secret: Data?) throws(VaultError) {
        let requests = try setRequests(item, secret, .set)
        guard let request = requests.first, requests.count == 1 else {
            return try change(together: requests, .set)
        }
        try change(request, .set)
    }

    func addRequest(_ item: some KeychainItem, _ secret: Data?) -> Request {
        guard let identity = item as? Identity else { return .add(newItem(item, secret)) }
        let certificate = newItem(identity.certificate, identity.content.value)
        let key = newItem(identity.key, secret)
        return .addIdentity(NewIdentity(certificate: certificate, key: key, returning: []))
    }

    /// One request, or those of both halves of an identity.
    func setRequests(
        _ item: some KeychainItem,
        _ secret: Data?,
        _ operation: VaultError.Operation
    ) throws(VaultError) -> [Request] {
        guard let identity = item as? Identity else {
            return [.set(try setRequest(item, secret, operation))]
        }
        return [
            .set(try setRequest(identity.certificate, identity.content.value, operation)),
            .set(try setRequest(identity.key, secret, operation)),
        ]
    }

    func setRequest(
        _ item: some KeychainItem,
        _ secret: Data?,
        _ operation: VaultError.Operation
    ) throws(VaultError) -> SetRequest {
        var new = newItem(item, secret)
        let filter = try narrowed(filter(item), operation)
        if new.attributes[.accessGroup] == nil {
            new.attributes[.accessGroup] = filter.attributes[.accessGroup]
        }
        var update = UpdateRequest(filter: filter, secret: secret, accessControl: new.accessControl)
        for entry in new.attributes.entries where filter.attributes[entry.attribute] == nil {
            if entry.attribute != .synchronizable { update.attributes[entry.attribute] = entry.value }
        }
        return SetRequest(update: update, item: new)
    }

    /// The item with what the vault says of new items, where the item does not.
    func newItem(_ item: some KeychainItem, _ secret: Data?) -> NewItem {
        let itemClass = type(of: item).itemClass.itemClass
        let control = item.content.accessControl ?? accessControl?.control
        var attributes = item.content.attributes.storable(ItemSchema.of(itemClass))
        if attributes[.accessGroup] == nil {
            attributes[.accessGroup] = accessGroup.map { .text($0.rawValue) }
        }
        if let control {
            attributes[.accessible] = .text(control.protection.name)
        } else if attributes[.accessible] == nil {
            attributes[.accessible] = accessibility.map { .text($0.rawValue) }
        }
        return NewItem(
            itemClass: itemClass,
            attributes: attributes,
            secret: secret ?? item.content.value,
            accessControl: control
        )
    }
}

extension Attributes {
    /// The attributes that a program can store: without those that the keychain makes itself.
    func storable(_ schema: ItemSchema) -> Self {
        var kept = Self(reservingCapacity: entries.count + 2)
        for entry in entries where ![.creationDate, .modificationDate].contains(entry.attribute) {
            guard let rule = schema[entry.attribute], !rule.traits.contains(.computed) else { continue }
            kept[entry.attribute] = entry.value
        }
        return kept
    }
}

/// An identity has requests of its own, as it is no item but a pair of them.
extension Request {
    init(finding request: CopyRequest) {
        guard request.filter.itemClass == .identity else {
            self = .copy(request)
            return
        }
        var identities = CopyIdentitiesRequest(
            filter: IdentityFilter(dividing: request.filter),
            limit: request.limit,
            returning: request.returning
        )
        identities.skipsConstrained = request.skipsConstrained
        self = .copyIdentities(identities)
    }

    init(deleting filter: ItemFilter) {
        self =
            filter.itemClass == .identity
            ? .deleteIdentities(DeleteIdentitiesRequest(filter: IdentityFilter(dividing: filter)))
            : .delete(DeleteRequest(filter: filter))
    }
}
