// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The access groups that a request reaches.
enum AccessScope: Sendable {
    case every
    case groups([String])

    func contains(_ group: String) -> Bool {
        switch self {
        case .every: true
        case .groups(let groups): groups.contains { $0.utf8.elementsEqual(group.utf8) }
        }
    }
}

/// A request that its caller may make.
///
/// Only ``AccessPolicy`` can build one, and the engine takes nothing else.
struct AuthorizedRequest: Sendable {
    let request: Request
    let scope: AccessScope
    /// The groups in which issuers and the certificates of identities may be, whichever group was asked for.
    let certificateScope: AccessScope
    /// The group of a new item that names none.
    let defaultGroup: String

    fileprivate init(
        _ request: Request,
        scope: AccessScope,
        certificateScope: AccessScope,
        defaultGroup: String
    ) {
        self.request = request
        self.scope = scope
        self.certificateScope = certificateScope
        self.defaultGroup = defaultGroup
    }
}

/// The one place that decides whether a caller is allowed what it asks for.
///
/// Source: Apple's published Security sources.
enum AccessPolicy {
    /// Allows a request within the caller's access groups.
    ///
    /// - Throws: `missingEntitlement`: the caller has no group, none that it may write to, or names one it lacks.
    static func authorize(_ request: Request, for caller: Caller) throws(KeychainError) -> AuthorizedRequest {
        let every = caller.reachesEveryGroup
        let readable: AccessScope = every ? .every : .groups(caller.accessGroups)
        let writable: AccessScope = every ? .every : .groups(caller.writableGroups)
        func authorized(_ scope: AccessScope, certificates: AccessScope? = nil) -> AuthorizedRequest {
            let group = caller.writableGroups.first { $0 != Caller.everyGroup }
            return AuthorizedRequest(
                request,
                scope: scope,
                certificateScope: certificates ?? scope,
                defaultGroup: group ?? caller.applicationIdentifier
            )
        }
        func writing(_ parts: [Attributes]) throws(KeychainError) -> AccessScope {
            // Each part must be allowed; those of one request name one group, or none.
            var scope = writable
            for attributes in parts {
                scope = try narrowed(writable, to: attributes, refusing: Caller.tokenGroup)
            }
            return scope
        }
        switch request {
        case .status:
            return authorized(.groups([]))
        case .copy(let copy):
            return authorized(try narrowed(readable, to: copy.filter.attributes), certificates: readable)
        case .copyIdentities(let copy):
            return authorized(try narrowed(readable, to: copy.filter.key.attributes), certificates: readable)
        case .delete(let delete):
            return authorized(try writing([delete.filter.attributes]))
        case .deleteEach(let deletes):
            return authorized(try writing(deletes.map(\.filter.attributes)))
        case .deleteIdentities(let delete):
            return authorized(try writing([delete.filter.key.attributes]), certificates: writable)
        case .add(let item):
            return authorized(try writing([item.attributes]))
        case .addIdentity(let identity):
            return authorized(try writing([identity.certificate.attributes, identity.key.attributes]))
        case .update(let update):
            // The new group must be the caller's as well.
            _ = try writing([update.attributes])
            return authorized(try writing([update.filter.attributes]))
        case .updateEach(let updates):
            _ = try writing(updates.map(\.attributes))
            return authorized(try writing(updates.map(\.filter.attributes)))
        }
    }

    private static func narrowed(
        _ scope: AccessScope,
        to attributes: Attributes,
        refusing refused: String? = nil
    ) throws(KeychainError) -> AccessScope {
        if case .groups(let groups) = scope, groups.isEmpty {
            throw KeychainError(.missingEntitlement, .noAccessGroups)
        }
        guard let named = attributes[.accessGroup] else { return scope }
        guard case .text(let group) = named, !group.isEmpty, group != refused, scope.contains(group)
        else {
            throw KeychainError(.missingEntitlement, .foreignAccessGroup, attribute: .accessGroup)
        }
        return .groups([group])
    }
}
