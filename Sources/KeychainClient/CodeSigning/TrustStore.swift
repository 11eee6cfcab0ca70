// SPDX-License-Identifier: Apache-2.0

/// The teams that the administrator trusts, and the teams that a store's user trusts.
package struct TrustStore: Sendable {
    /// A team file that is not used, and the reason.
    package struct Problem: Hashable, Sendable {
        package let file: String
        package let defect: TeamFileDefect
    }

    package private(set) var teams: [Team] = []
    package private(set) var problems: [Problem] = []
    /// The teams whose files are not used.
    private var disabled: [TeamIdentifier] = []

    package init() {}

    /// Adds a team that the administrator trusts.
    mutating func add(_ team: Team) { teams.append(team) }

    /// Excludes a team because its file has a defect.
    mutating func disable(_ file: String, _ defect: TeamFileDefect) {
        problems.append(Problem(file: file, defect: defect))
        if let team = TeamIdentifier(file.dropLast(TeamFile.suffix.count)) { disabled.append(team) }
    }

    /// Adds a team that the user trusts in their own store.
    ///
    /// - Returns: `false` if the team is already trusted, or disabled by the administrator's file.
    @discardableResult
    package mutating func addUserTeam(_ team: Team) -> Bool {
        guard self[team.identifier] == nil, !disabled.contains(team.identifier) else { return false }
        // Leave out the team's system group and application groups: only the administrator's files can assign
        // them, because they apply to all users.
        teams.append(
            Team(
                publicKey: team.publicKey,
                name: team.name,
                minimumSerial: team.minimumSerial,
                minimumLevel: team.minimumLevel,
                revokedDigests: team.revokedDigests,
                sandboxes: team.sandboxes
            )
        )
        return true
    }

    package subscript(identifier: TeamIdentifier) -> Team? { teams.first { $0.identifier == identifier } }

    enum Owner: Equatable {
        case none, team(TeamIdentifier), several
    }

    /// Returns the team whose file lists an application group; if several files do, no team owns the group.
    func owner(of group: String) -> Owner {
        let owners = teams.filter { team in
            team.applicationGroups.contains { $0.utf8.elementsEqual(group.utf8) }
        }
        guard let first = owners.first else { return .none }
        return owners.count == 1 ? .team(first.identifier) : .several
    }

    /// Checks the signature of an executable, and whether its team is trusted.
    ///
    /// Damage is reported before distrust. No file is read, and the time is bounded: two signatures over at
    /// most 16,384 bytes are verified.
    ///
    /// - Parameters:
    ///   - signature: Untrusted bytes.
    ///   - executable: The digest of the executable that presents them.
    ///   - time: The current time in seconds since 1970.
    /// - Returns: The identity of the executable, or why it has none.
    package func evaluate(
        _ signature: [UInt8],
        of executable: ExecutableDigest,
        at time: UInt64
    ) -> SignatureVerdict {
        let statement: SignedStatement
        do throws(SignatureDamage) {
            statement = try CodeSignature(verifying: signature).statement
        } catch {
            return .damaged(error)
        }
        guard statement.executable == executable else { return .damaged(.executableChanged) }
        guard let team = self[statement.team], team.publicKey == statement.certificate.team else {
            return .distrusted(disabled.contains(statement.team) ? .teamDisabled : .unknownTeam)
        }
        if let distrust = team.distrust(statement, at: time) { return .distrusted(distrust) }
        return .trusted(SignedIdentity(statement, of: team, in: self))
    }
}
