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
    /// The groups in which the certificates of identities may be, whichever group was asked for.
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
    static func authorize(_ request: Request, for caller: Caller) throws(StatusError) -> AuthorizedRequest {
        let own = request.isChange ? caller.writableGroups : caller.accessGroups
        let all: AccessScope = caller.reachesEveryGroup ? .every : .groups(own)
        let refused = request.isChange ? Caller.tokenGroup : nil
        let reach = Reach(of: request)
        var scope = AccessScope.groups([])
        // Each part must be allowed; those of one request name one group, or none.
        for attributes in reach.outcomes + reach.named {
            scope = try narrowed(all, to: attributes, refusing: refused)
        }
        return AuthorizedRequest(
            request,
            scope: scope,
            certificateScope: reach.hasCertificatesElsewhere ? all : scope,
            defaultGroup: caller.writableGroups.first { $0 != Caller.everyGroup }
                ?? caller.applicationIdentifier
        )
    }

    private static func narrowed(
        _ scope: AccessScope,
        to attributes: Attributes,
        refusing refused: String? = nil
    ) throws(StatusError) -> AccessScope {
        if case .groups(let groups) = scope, groups.isEmpty {
            throw StatusError(.missingEntitlement, .noAccessGroups)
        }
        guard let named = attributes[.accessGroup] else { return scope }
        guard case .text(let group) = named, !group.isEmpty, group != refused, scope.contains(group)
        else {
            throw StatusError(.missingEntitlement, .foreignAccessGroup, attribute: .accessGroup)
        }
        return .groups([group])
    }
}

/// What of a request may name an access group.
private struct Reach {
    /// What is searched for or made.
    var named: [Attributes]
    /// What items that are there become: a new group must be the caller's as well.
    var outcomes: [Attributes] = []
    /// Whether the certificates of identities may be in another group of the caller than the named one.
    var hasCertificatesElsewhere = false

    init(of request: Request) {
        switch request {
        case .status: named = []
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
