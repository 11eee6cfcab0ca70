// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel
import KeychainStore

/// The calls that list private access groups, and that move items from one into a program's present group.
///
/// No program has both groups, so the daemon moves the items itself, after it has verified the user's passcode. Root
/// needs no passcode.
struct AdoptionCalls {
    private let stores: StoreTable
    private let session: Session

    private static let caller = Caller(
        applicationIdentifier: "keychain.adoption",
        accessGroups: [Caller.everyGroup]
    )

    init(_ stores: StoreTable, _ session: Session) {
        self.stores = stores
        self.session = session
    }

    /// Performs a call.
    ///
    /// - Throws: `missingEntitlement` with `callerRefused` if the caller is not root and names another user;
    ///   `unimplemented` with `notThroughDaemon` in the user service; `missingEntitlement` with `foreignAccessGroup` if
    ///   the source is not a private group, or the target neither another private group nor a team's; the errors of a
    ///   wrong or missing passcode; `interactionNotAllowed` if the keychain is locked.
    func perform(_ call: AdoptionCall) throws(StatusError) -> AdoptionReply {
        if case .move(let source, let target) = call.operation {
            guard PrivateGroup.contains(source), PrivateGroup.canBeAdopted(by: target), source != target
            else { throw StatusError(.missingEntitlement, .foreignAccessGroup, attribute: .accessGroup) }
        }
        return try store(of: call.user).use { keychain throws(StatusError) in
            let credential = try prove(call.passcode, in: keychain)
            var reply = AdoptionReply()
            switch call.operation {
            case .list: reply.groups = try list(keychain, credential)
            case .move(let source, let target):
                for version in try keychain.versions(in: [source]) {
                    if try move(version.reference, to: target, in: keychain, credential) {
                        reply.moved += 1
                    } else {
                        reply.kept += 1
                    }
                }
            }
            return reply
        }
    }

    /// Returns the private groups that have items, sorted by name.
    private func list(
        _ keychain: EmbeddedKeychain,
        _ credential: Credential
    ) throws(StatusError) -> [GroupCount] {
        var counts: [String: UInt32] = [:]
        for itemClass in ItemClass.allCases where itemClass.isStored {
            for group in try groups(of: itemClass, in: keychain, credential)
            where PrivateGroup.contains(group) { counts[group, default: 0] += 1 }
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

    private func store(of user: UInt32?) throws(StatusError) -> UserStore {
        guard stores.isOfSystem else { throw StatusError(.unimplemented, .notThroughDaemon) }
        let own = session.identity.user
        guard user == nil || user == own || own == 0 else {
            throw StatusError(.missingEntitlement, .callerRefused)
        }
        return stores.store(of: user ?? own)
    }

    /// Verifies the passcode; returns a credential for the items that require it.
    private func prove(
        _ passcode: SentSecret,
        in keychain: EmbeddedKeychain
    ) throws(StatusError) -> Credential {
        let level = session.identity.level
        if session.identity.user == 0 { return Credential(accessControlKey: nil, level: level) }
        return Credential(accessControlKey: try keychain.authenticate(with: passcode.bytes), level: level)
    }

    /// Moves an item; returns `false` if it must stay where it is.
    ///
    /// Each item is moved in a transaction of its own: an adoption that is interrupted is completed by the next one.
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
