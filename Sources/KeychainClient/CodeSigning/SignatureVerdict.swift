// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

package enum SignatureVerdict: Hashable, Sendable {
    /// The signature is valid, and the team that has signed is trusted.
    case trusted(SignedIdentity)
    /// The signature is damaged, or the executable is not the one that was signed.
    case damaged(SignatureDamage)
    /// The signature is valid, but it is expired or revoked, or its team is not trusted.
    case distrusted(Distrust)
}

/// Why a signature is not valid for an executable.
package enum SignatureDamage: Error, Hashable, Sendable {
    /// The signature has more than 16,384 bytes.
    case tooLong
    /// The bytes do not have the format, or not its canonical encoding.
    case malformed
    /// The team must not sign these entitlements.
    case entitlements(EntitlementDefect)
    /// The certificate's or the statement's Ed25519 signature is invalid.
    case signature
    /// The executable has another digest or size.
    case executableChanged
}

/// Why a valid signature is not trusted.
package enum Distrust: Hashable, Sendable {
    /// The ``TrustStore`` does not contain the team; teams that the user trusts may not have been added to it yet.
    case unknownTeam
    /// The team's file is not used, for example because it is malformed or other users can write it.
    case teamDisabled
    case signatureExpired
    case signingKeyExpired
    /// The serial number of the signing key's certificate is below the minimum in the team's file.
    case signingKeyRevoked
    /// The team has revoked the executable's digest.
    case executableRevoked
}

/// An executable with a valid signature of a trusted team.
///
/// Only ``TrustStore`` creates it.
package struct SignedIdentity: Hashable, Sendable {
    package let team: Team
    package let entitlements: SignedEntitlements
    /// Whether the entitlements apply only to a process whose effective group is the team's system group.
    package let isGroupLevelOnly: Bool
    /// The entitled application groups starting with `group.` that only this team's file lists.
    package let listedGroups: [String]
    /// The entitled application groups starting with `group.` that no team's file lists.
    ///
    /// In each store, such a group belongs to the first team that uses it.
    package let unlistedGroups: [String]
    /// The entitled application groups starting with `group.` that another team's file lists, or several files.
    package let refusedGroups: [String]

    init(_ statement: SignedStatement, of team: Team, in store: TrustStore) {
        self.team = team
        entitlements = statement.entitlements
        isGroupLevelOnly = statement.isGroupLevelOnly
        var (listed, unlisted, refused) = ([], [], []) as ([String], [String], [String])
        for group in entitlements.sharedGroups {
            switch store.owner(of: group) {
            case .team(team.identifier): listed.append(group)
            case .none: unlisted.append(group)
            case .team, .several: refused.append(group)
            }
        }
        (listedGroups, unlistedGroups, refusedGroups) = (listed, unlisted, refused)
    }

    /// The program's identifier with the team's prefix.
    package var applicationIdentifier: String { team.identifier.prefix + entitlements.identifier }

    /// How strongly the program's identity must be established, at least, to get these entitlements.
    package var minimumLevel: CallerLevel { isGroupLevelOnly ? .group : team.minimumLevel }

    /// Returns the caller with this identity in a store; new items are in its first access group by default.
    ///
    /// `claim` decides whether an unlisted application group belongs to the team in this store. Such a group
    /// belongs to the first team that uses it.
    package func caller(claim: (String) -> Bool) -> Caller {
        let groups = entitlements.groups(of: team.identifier) { group in
            let isSame = { (other: String) in other.utf8.elementsEqual(group.utf8) }
            return listedGroups.contains(where: isSame)
                || unlistedGroups.contains(where: isSame) && claim(group)
        }
        return Caller(applicationIdentifier: applicationIdentifier, accessGroups: groups)
    }
}
