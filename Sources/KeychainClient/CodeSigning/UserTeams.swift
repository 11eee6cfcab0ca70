// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The teams that a user trusts, as items of the user's store.
///
/// The daemon reads and writes these items under a caller identity of its own, which is defined here. No signature can
/// grant their access group, because it starts neither with a team identifier nor with `group.`. In the embedded
/// store, access groups are only a convention.
package enum UserTeams {
    /// The access group of the items, which no signature can grant.
    package static let accessGroup = "keychain.user-teams"
    private static let service = "trusted team"

    private static let caller = Caller(
        applicationIdentifier: accessGroup,
        accessGroups: [accessGroup]
    )

    private static func filter(_ team: TeamIdentifier?) -> ItemFilter {
        var attributes = Attributes()
        attributes[.accessGroup] = .string(accessGroup)
        attributes[.service] = .string(service)
        if let team { attributes[.account] = .string(team.text) }
        return ItemFilter(itemClass: .genericPassword, attributes: attributes)
    }

    /// Returns the trusted teams of a store, sorted by identifier; invalid items are omitted.
    package static func list(in keychain: any KeychainBackend) throws(StatusError) -> [Team] {
        let search = CopyRequest(filter: filter(nil), limit: .all, returning: .attributes)
        let response: Response
        do throws(StatusError) {
            response = try keychain.perform(.copy(search), for: caller, with: .none)
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
        guard case .items(let items) = response else { return [] }
        return items.compactMap { team(of: $0.attributes) }.sorted { $0.identifier.text < $1.identifier.text }
    }

    private static func team(of attributes: Attributes) -> Team? {
        guard case .string(let text)? = attributes[.comment],
            let team = try? TeamFile.parse(Array(text.utf8)),
            attributes[.account] == .string(team.identifier.text)
        else { return nil }
        return team
    }

    /// Trusts a team; replaces its earlier team file.
    ///
    /// The store must have a passcode: otherwise, every program of the user could add a team.
    ///
    /// - Throws: For example, `authenticationFailed` with `noPasscode`, `passcodeWrong` or `tooManyGuesses`;
    ///   `invalidParameter` with `passcodeMalformed`.
    package static func trust(
        _ team: Team,
        in keychain: any KeychainBackend,
        passcode: borrowing SecretBytes
    ) throws(StatusError) {
        _ = try keychain.prove(passcode)
        var stored = filter(team.identifier).attributes
        stored[.comment] = .string(TeamFile.text(of: team))
        stored[.label] = .string(team.name)
        // The item must be readable while the store is locked: the daemon identifies a caller before the caller can
        // unlock the store.
        stored[.accessible] = .string(ProtectionClass.alwaysThisDeviceOnly.name)
        var changes = Attributes()
        changes[.comment] = stored[.comment]
        changes[.label] = stored[.label]
        let set = SetRequest(
            update: UpdateRequest(filter: filter(team.identifier), attributes: changes),
            item: NewItem(itemClass: .genericPassword, attributes: stored, secret: nil)
        )
        _ = try keychain.perform(.set(set), for: caller, with: .none)
    }

    /// Stops trusting a team.
    ///
    /// - Throws: `itemNotFound` if the team is not trusted; the errors of ``trust(_:in:passcode:)``.
    package static func remove(
        _ team: TeamIdentifier,
        in keychain: any KeychainBackend,
        passcode: borrowing SecretBytes
    ) throws(StatusError) {
        _ = try keychain.prove(passcode)
        let request = DeleteRequest(filter: filter(team), leavesTombstones: false)
        _ = try keychain.perform(.delete(request), for: caller, with: .none)
    }
}

/// The teams that the user of this process trusts.
extension SystemKeychain {
    package static func userTeams() throws(StatusError) -> [Team] {
        do throws(StatusError) {
            return try withKeychain { keychain throws(StatusError) in
                if let daemon = keychain as? DaemonKeychain { return try daemon.userTeams() }
                return try UserTeams.list(in: keychain)
            }
        } catch {
            guard error.reason == .storeMissing else { throw error }
            return []
        }
    }

    package static func trust(_ team: Team, passcode: borrowing SecretBytes) throws(StatusError) {
        try withKeychain { keychain throws(StatusError) in
            if let daemon = keychain as? DaemonKeychain {
                return try daemon.trust(team, passcode: passcode)
            }
            try UserTeams.trust(team, in: keychain, passcode: passcode)
        }
    }

    package static func stopTrusting(
        _ team: TeamIdentifier,
        passcode: borrowing SecretBytes
    ) throws(StatusError) {
        try withKeychain { keychain throws(StatusError) in
            if let daemon = keychain as? DaemonKeychain {
                return try daemon.stopTrusting(team, passcode: passcode)
            }
            try UserTeams.remove(team, in: keychain, passcode: passcode)
        }
    }
}
