// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The access groups that a request may use.
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

/// A request that ``AccessPolicy`` has allowed; for searches, see also ``AuthorizedSearch``.
///
/// This is a class, so that passing it on is cheap.
final class AuthorizedRequest: Sendable {
    let request: Request
    let scope: AccessScope
    /// The groups in which the certificates of identities are searched.
    ///
    /// A group in the query restricts only the search for keys.
    let certificateScope: AccessScope
    private let caller: Caller

    fileprivate init(
        _ request: Request,
        of caller: Caller,
        scope: AccessScope,
        certificateScope: AccessScope
    ) {
        self.request = request
        self.caller = caller
        self.scope = scope
        self.certificateScope = certificateScope
    }

    /// The access group of a new item whose attributes specify none.
    var defaultGroup: String {
        caller.writableGroups.first { $0 != Caller.everyGroup } ?? caller.applicationIdentifier
    }
}

/// A search that ``AccessPolicy`` has allowed.
///
/// This is a structure and not a class like ``AuthorizedRequest``, so that searches, the most frequent requests, need
/// no allocation for it.
struct AuthorizedSearch: ~Copyable {
    let request: CopyRequest
    let scope: AccessScope

    fileprivate init(_ request: CopyRequest, scope: AccessScope) {
        self.request = request
        self.scope = scope
    }
}

/// Decides whether a caller may use the access groups of a request; no other code decides this.
///
/// Source: Apple's published Security sources.
enum AccessPolicy {
    /// Authorizes a request within the caller's access groups.
    ///
    /// No group is needed to read the status or to use a private key that the daemon keeps.
    ///
    /// - Throws: `missingEntitlement` if the caller has no group, or specifies a group that it does not have. For a
    ///   request that changes items, only the groups count that the caller can write to.
    static func authorize(_ request: Request, for caller: Caller) throws(StatusError) -> AuthorizedRequest {
        let own = request.isChange ? caller.writableGroups : caller.accessGroups
        let all: AccessScope = caller.reachesEveryGroup ? .every : .groups(own)
        let refused = request.isChange ? Caller.tokenGroup : nil
        let reach = Reach(of: request)
        var scope = AccessScope.groups([])
        // Check the access group in every set of attributes that the request contains. The sets in `named` select
        // items or describe new ones. A client's request specifies the same group in all of them, or in none, so the
        // last set determines the scope. A request without such a set needs no group, and its scope is empty.
        for attributes in reach.outcomes + reach.named {
            scope = try narrowed(all, to: attributes, refusing: refused)
        }
        return AuthorizedRequest(
            request,
            of: caller,
            scope: scope,
            certificateScope: reach.hasCertificatesElsewhere ? all : scope
        )
    }

    /// Authorizes a search within the caller's access groups.
    ///
    /// - Throws: `missingEntitlement` if the caller has no group, or specifies a group it does not have.
    static func authorize(
        _ search: CopyRequest,
        for caller: Caller
    ) throws(StatusError) -> AuthorizedSearch {
        let all: AccessScope = caller.reachesEveryGroup ? .every : .groups(caller.accessGroups)
        return AuthorizedSearch(search, scope: try narrowed(all, to: search.filter.attributes))
    }

    /// Checks that the caller may use the access group that the attributes name, and narrows the scope to it.
    private static func narrowed(
        _ scope: AccessScope,
        to attributes: Attributes,
        refusing refused: String? = nil
    ) throws(StatusError) -> AccessScope {
        if case .groups(let groups) = scope, groups.isEmpty {
            throw StatusError(.missingEntitlement, .noAccessGroups)
        }
        guard let named = attributes[.accessGroup] else { return scope }
        guard case .string(let group) = named, !group.isEmpty, group != refused, scope.contains(group)
        else {
            throw StatusError(.missingEntitlement, .foreignAccessGroup, attribute: .accessGroup)
        }
        return .groups([group])
    }
}

/// The attribute sets of a request that may specify an access group.
private struct Reach {
    /// The attributes of items to search for or to add.
    var named: [Attributes]
    /// The attributes that a request to update or set gives to items; a group in them must be writable for the
    /// caller.
    var outcomes: [Attributes] = []
    /// Whether certificates of identities are also searched in the caller's other groups.
    var hasCertificatesElsewhere = false

    init(of request: Request) {
        switch request {
        case .status, .useTokenKey: named = []
        case .makeTokenKey(let item): named = [item.attributes]
        case .copy(let copy): named = [copy.filter.attributes]
        case .copyIdentities(let copy):
            (named, hasCertificatesElsewhere) = ([copy.filter.key.attributes], true)
        case .delete(let delete): named = [delete.filter.attributes]
        case .deleteEach(let deletes): named = deletes.map(\.filter.attributes)
        case .deleteIdentities(let delete):
            (named, hasCertificatesElsewhere) = ([delete.filter.key.attributes], true)
        case .add(let item): named = [item.attributes]
        case .addIdentity(let identity): named = [identity.certificate.attributes, identity.key.attributes]
        case .update(let update): (named, outcomes) = ([update.filter.attributes], [update.attributes])
        case .set(let set):
            (named, outcomes) = (
                [set.update.filter.attributes], [set.update.attributes, set.item.attributes]
            )
        case .updateEach(let updates):
            (named, outcomes) = (updates.map(\.filter.attributes), updates.map(\.attributes))
        }
    }
}
