// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Executes requests, and converts their errors to ``VaultError``.
extension Vault {
    /// Returns the items that a request finds; empty if there are none.
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

    /// Returns the first item that a filter matches; `nil` if no item matches.
    ///
    /// - Throws: ``VaultError/Reason-swift.enum/ambiguous`` if items in several access groups match.
    func findOne(
        _ filter: ItemFilter,
        returning: ReturnKeys,
        _ operation: VaultError.Operation
    ) throws(VaultError) -> FoundItem? {
        try findAtMostOne(filter, returning: returning, operation).first
    }

    /// Returns the result of `findOne` as an array, which is empty if no item matches.
    private func findAtMostOne(
        _ filter: ItemFilter,
        returning: ReturnKeys,
        _ operation: VaultError.Operation
    ) throws(VaultError) -> [FoundItem] {
        // Several matches are ambiguous only if they are in different access groups. In one group, several
        // identities can match, because they are found by the attributes of their keys; the first is used.
        let isUnique =
            filter.attributes[.accessGroup] != nil || filter.reference != nil
            || filter.itemClass == .identity && backend.reachesOneGroup
        let limit: MatchLimit = isUnique ? .one : .unambiguous
        let found = try find(CopyRequest(filter: filter, limit: limit, returning: returning), operation)
        guard found.count <= 1 else { throw VaultError(.ambiguous, operation) }
        return found
    }

    /// Executes a change; returns whether an item matched.
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

    /// Returns the filter, restricted to the access group of the item that it matches.
    ///
    /// If no item matches, the filter is restricted to the access group of new items, unless the back end
    /// does not know this group. A filter with an access group or a persistent reference is returned unchanged,
    /// and so is every filter if the program has only one access group.
    ///
    /// - Throws: ``VaultError/Reason-swift.enum/ambiguous`` if items in several access groups match.
    func narrowed(_ filter: ItemFilter, _ operation: VaultError.Operation) throws(VaultError) -> ItemFilter {
        guard filter.attributes[.accessGroup] == nil, filter.reference == nil, !backend.reachesOneGroup
        else { return filter }
        var filter = filter
        let found = try findOne(filter, returning: .attributes, operation)
        filter.attributes[.accessGroup] =
            found?.attributes[.accessGroup] ?? backend.defaultGroup.map { .string($0) }
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
        // Read from the array instead of calling `findOne`: `found[0].secret` does not copy the item.
        let found = try findAtMostOne(filter, returning: .data, .read)
        guard !found.isEmpty else { return nil }
        // An item that was added without a secret reads as an empty secret.
        return SecretBytes(found[0].secret ?? SecretBuffer())
    }

    /// Returns whether an item exists; non-interactive.
    ///
    /// The result is `true` even for an item that the user must authenticate to read.
    func contains(_ filter: ItemFilter) throws(VaultError) -> Bool {
        var vault = self
        vault.session = Self.silent
        var request = CopyRequest(filter: filter, limit: .one)
        do throws(VaultError) {
            return try !vault.find(request, .read).isEmpty
        } catch {
            switch error.reason {
            case .interactionRequired: return true
            case .locked: break
            default: throw error
            }
        }
        // The `SecItem` functions return `errSecInteractionNotAllowed` for a locked item and for one that requires
        // interaction. This search skips items that require interaction, so here the status stands for a locked item.
        request.skipsConstrained = true
        _ = try vault.find(request, .read)
        return true
    }

    static let silent = AuthenticationSession(mayAsk: false)

    func remove(_ filter: ItemFilter) throws(VaultError) -> Bool {
        try change(Request(deleting: narrowed(filter, .remove)), .remove)
    }

    func add(_ item: some KeychainItem, _ secret: SecretBuffer?) throws(VaultError) {
        try change(addRequest(item, secret), .add)
    }

    func set(_ item: some KeychainItem, _ secret: SecretBuffer?) throws(VaultError) {
        let requests = try setRequests(item, secret, .set)
        guard let request = requests.first, requests.count == 1 else {
            return try change(together: requests, .set)
        }
        try change(request, .set)
    }

    func addRequest(_ item: some KeychainItem, _ secret: SecretBuffer?) -> Request {
        guard let identity = item as? Identity else { return .add(newItem(item, secret)) }
        let certificate = newItem(identity.certificate, identity.content.value)
        let key = newItem(identity.key, secret)
        return .addIdentity(NewIdentity(certificate: certificate, key: key, returning: []))
    }

    /// Returns the request that adds or updates an item; for an identity, one each for certificate and key.
    func setRequests(
        _ item: some KeychainItem,
        _ secret: SecretBuffer?,
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
        _ secret: SecretBuffer?,
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

    /// Creates a new item, with the vault's settings for attributes that the item does not set.
    func newItem(_ item: some KeychainItem, _ secret: SecretBuffer?) -> NewItem {
        let itemClass = type(of: item).itemClass.itemClass
        let control = item.content.accessControl ?? accessControl?.control
        var attributes = item.content.attributes.storable(ItemSchema.of(itemClass))
        if attributes[.accessGroup] == nil {
            attributes[.accessGroup] = accessGroup.map { .string($0.rawValue) }
        }
        if let control {
            attributes[.accessible] = .string(control.protection.name)
        } else if attributes[.accessible] == nil {
            attributes[.accessible] = accessibility.map { .string($0.rawValue) }
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
    /// Returns the attributes that the schema contains, without those that only the keychain sets.
    func storable(_ schema: ItemSchema) -> Self {
        var kept = Self(reservingCapacity: entries.count + 2)
        for entry in entries where ![.creationDate, .modificationDate].contains(entry.attribute) {
            guard let rule = schema[entry.attribute], !rule.traits.contains(.computed) else { continue }
            kept[entry.attribute] = entry.value
        }
        return kept
    }
}

/// Creates requests for items or, if the class is identity, for identities.
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
