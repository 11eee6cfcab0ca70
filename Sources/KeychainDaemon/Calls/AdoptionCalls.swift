// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainModel
import KeychainStore

/// Lists the access groups of unsigned programs, and moves items into the groups that programs have now.
///
/// No program has both the former and the present group, so the daemon moves the items itself, after it has verified
/// the user's passcode. Root needs no passcode, except for items whose access control requires it.
struct AdoptionCalls {
    private let stores: StoreTable
    private let session: Session
    private let identification: Identification

    private static let caller = Caller(
        applicationIdentifier: "keychain.adoption",
        accessGroups: [Caller.everyGroup]
    )

    init(_ stores: StoreTable, _ session: Session, _ identification: Identification) {
        self.stores = stores
        self.session = session
        self.identification = identification
    }

    /// Performs a call.
    ///
    /// - Throws: For example, `missingEntitlement` with `callerRefused` if the caller is not root and names another
    ///   user; `unimplemented` with `notThroughDaemon` in the user service; `invalidParameter` with `wrongValueType` if
    ///   a team identifier is malformed, or source and target are the same team; `missingEntitlement` with
    ///   `foreignAccessGroup` if the source is not the group of an unsigned program, the target is neither such a group
    ///   nor a team's, or source and target are the same group; `missingEntitlement` with `teamNotTrusted` or
    ///   `teamOfAdministrator` if the caller may not move the items of the team; the errors of a wrong or missing
    ///   passcode; `interactionNotAllowed` if the keychain is locked.
    func perform(_ call: AdoptionCall) throws(StatusError) -> AdoptionReply {
        let user = try user(call.user)
        try check(call.operation, for: user)
        let store = stores.store(of: user)
        return try store.use { keychain throws(StatusError) in
            let credential = try prove(call.passcode, in: keychain)
            var reply = AdoptionReply()
            switch call.operation {
            case .list:
                reply.groups = try groups(keychain, credential).filter { PrivateGroup.contains($0.group) }
            case .move(let source, let target):
                try move(source, to: target, in: keychain, credential, &reply)
            case .moveTeam(let source, let target):
                try moveApplicationGroups(source, to: target, in: store)
                let groups = try groups(keychain, credential).map(\.group)
                reply.unread = try unreadCount(besides: groups, in: keychain)
                for group in groups where group.hasPrefix(source + ".") {
                    let new = target + group.dropFirst(source.count)
                    try move(group, to: new, in: keychain, credential, &reply)
                }
            }
            return reply
        }
    }

    /// Checks that the caller may move these items of a user.
    ///
    /// Root may move the items of any team to a trusted one. A user may move only those of a team that the user, but
    /// not the administrator, trusts: otherwise, a program that has learned the passcode could move the items of the
    /// administrator's teams to a team of its own.
    private func check(_ operation: AdoptionCall.Operation, for user: UInt32) throws(StatusError) {
        switch operation {
        case .list: return
        case .move(let source, let target):
            guard PrivateGroup.contains(source), PrivateGroup.canBeAdopted(by: target), source != target
            else { throw StatusError(.missingEntitlement, .foreignAccessGroup, attribute: .accessGroup) }
        case .moveTeam(let source, let target):
            guard let old = TeamIdentifier(source), let new = TeamIdentifier(target), old != new else {
                throw StatusError(.invalidParameter, .wrongValueType)
            }
            let (oldSource, newSource) = (
                identification.source(of: old, for: user), identification.source(of: new, for: user)
            )
            guard newSource == .administrator || newSource == .user else {
                throw StatusError(.missingEntitlement, .teamNotTrusted)
            }
            guard session.identity.user != 0, oldSource != .user else { return }
            throw StatusError(.missingEntitlement, oldSource == nil ? .teamNotTrusted : .teamOfAdministrator)
        }
    }

    /// Gives the application groups of a team, which no team file lists, to another team.
    private func moveApplicationGroups(
        _ source: String,
        to target: String,
        in store: UserStore
    ) throws(StatusError) {
        guard let old = TeamIdentifier(source), let new = TeamIdentifier(target) else { return }
        guard GroupOwners(directory: store.directory).move(from: old, to: new) else {
            throw StatusError(.notAvailable, .systemCall, code: errno)
        }
    }

    /// Returns each access group with its number of items, sorted by name.
    ///
    /// Items whose access control is not satisfied are not counted, and a group with only such items is left out.
    private func groups(
        _ keychain: EmbeddedKeychain,
        _ credential: Credential
    ) throws(StatusError) -> [GroupCount] {
        var counts: [String: UInt32] = [:]
        for itemClass in ItemClass.allCases where itemClass.isStored {
            for group in try groups(of: itemClass, in: keychain, credential) {
                counts[group, default: 0] += 1
            }
        }
        return counts.sorted { $0.key < $1.key }.map { GroupCount(group: $0.key, items: $0.value) }
    }

    /// Returns the access group of each item of a class, except items whose access control is not satisfied.
    private func groups(
        of itemClass: ItemClass,
        in keychain: EmbeddedKeychain,
        _ credential: Credential
    ) throws(StatusError) -> [String] {
        let filter = ItemFilter(itemClass: itemClass, synchronizable: .any)
        var search = CopyRequest(filter: filter, limit: .all, returning: .attributes)
        search.skipsConstrained = true
        do throws(StatusError) {
            let response = try keychain.perform(.copy(search), for: Self.caller, with: credential)
            guard case .items(let items) = response else { return [] }
            return items.compactMap { item in
                if case .string(let group)? = item.attributes[.accessGroup] { group } else { nil }
            }
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
    }

    /// Returns the number of items in access groups that have no readable item, except those of the daemon itself.
    private func unreadCount(
        besides groups: [String],
        in keychain: EmbeddedKeychain
    ) throws(StatusError) -> UInt32 {
        let known = Set(groups + [KeyToken.privateGroup, UserTeams.accessGroup])
        let (all, read) = (try keychain.versions(in: nil), try keychain.versions(in: known.sorted()))
        return UInt32(clamping: all.count - read.count)
    }

    private func user(_ user: UInt32?) throws(StatusError) -> UInt32 {
        guard stores.isOfSystem else { throw StatusError(.unimplemented, .notThroughDaemon) }
        let own = session.identity.user
        guard user == nil || user == own || own == 0 else {
            throw StatusError(.missingEntitlement, .callerRefused)
        }
        return user ?? own
    }

    /// Verifies the passcode, which root may omit; returns the credential to move items with.
    private func prove(
        _ passcode: SentSecret,
        in keychain: EmbeddedKeychain
    ) throws(StatusError) -> Credential {
        let isRoot = session.identity.user == 0
        // Give root the highest level, which satisfies every access control that restricts how callers are identified.
        // Root could start any program anyway.
        let level: CallerLevel = isRoot ? .group : session.identity.level
        if isRoot, passcode.bytes.count == 0 { return Credential(accessControlKey: nil, level: level) }
        return Credential(accessControlKey: try keychain.authenticate(with: passcode.bytes), level: level)
    }

    /// Moves the items of a group, and counts those that were moved and those that stay.
    private func move(
        _ source: String,
        to target: String,
        in keychain: EmbeddedKeychain,
        _ credential: Credential,
        _ reply: inout AdoptionReply
    ) throws(StatusError) {
        for version in try keychain.versions(in: [source]) {
            if try move(version.reference, to: target, in: keychain, credential) {
                reply.moved += 1
            } else {
                reply.kept += 1
            }
        }
    }

    /// Moves an item; returns `false` if it stays, for example because the new group has an item with the same primary
    /// key.
    ///
    /// Each item is moved in a transaction of its own. If the call that moves several items is interrupted, the next
    /// such call moves the rest.
    private func move(
        _ item: PersistentReference,
        to group: String,
        in keychain: EmbeddedKeychain,
        _ credential: Credential
    ) throws(StatusError) -> Bool {
        var changes = Attributes()
        changes[.accessGroup] = .string(group)
        let filter = ItemFilter(itemClass: item.itemClass, synchronizable: .any, reference: item)
        do throws(StatusError) {
            let update = UpdateRequest(filter: filter, attributes: changes)
            _ = try keychain.perform(.update(update), for: Self.caller, with: credential)
            return true
        } catch {
            let reasonsToStay: [Status] = [
                .duplicateItem, .missingEntitlement, .authenticationNeeded, .authenticationFailed,
                .itemNotFound,
            ]
            guard reasonsToStay.contains(error.status) else { throw error }
            return false
        }
    }
}
