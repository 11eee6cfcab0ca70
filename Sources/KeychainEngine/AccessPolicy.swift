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
    /// The group of a new item that names none.
    let defaultGroup: String

    fileprivate init(_ request: Request, scope: AccessScope, defaultGroup: String) {
        self.request = request
        self.scope = scope
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
        func authorized(_ scope: AccessScope) -> AuthorizedRequest {
            let group = caller.writableGroups.first { $0 != Caller.everyGroup }
            return AuthorizedRequest(
                request,
                scope: scope,
                defaultGroup: group ?? caller.applicationIdentifier
            )
        }
        switch request {
        case .status:
            return authorized(.groups([]))
        case .copy(let copy):
            return authorized(try narrowed(readable, to: copy.filter.attributes))
        case .delete(let delete):
            return authorized(
                try narrowed(writable, to: delete.filter.attributes, refusing: Caller.tokenGroup)
            )
        case .add(let item):
            return authorized(try narrowed(writable, to: item.attributes, refusing: Caller.tokenGroup))
        case .update(let update):
            // The new group must be the caller's as well.
            _ = try narrowed(writable, to: update.attributes, refusing: Caller.tokenGroup)
            return authorized(
                try narrowed(writable, to: update.filter.attributes, refusing: Caller.tokenGroup)
            )
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
