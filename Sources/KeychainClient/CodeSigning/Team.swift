// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
package import KeychainStore

/// A team whose signatures are trusted, as its file describes it.
package struct Team: Hashable, Sendable {
    package let identifier: TeamIdentifier
    package let publicKey: Ed25519PublicKey
    /// The name that is shown to the user.
    package let name: String
    /// The system group to which the team's set-group-ID executables belong; `nil` if the team file names no group.
    package let group: String?
    /// The lowest valid serial number of a certificate; the signing keys with a lower one are revoked.
    package let minimumSerial: UInt32
    /// How strongly a caller's identity must be established, at least, to get the team's access groups.
    package let minimumLevel: CallerLevel
    package let revokedDigests: [Bytes32]
    /// The application groups starting with `group.` that belong to this team in every store.
    package let applicationGroups: [String]
    /// The sandboxes that give the team's programs the caller level `sandbox`; empty if every sandbox does.
    package let sandboxes: [Sandbox]

    package init(
        publicKey: Ed25519PublicKey,
        name: String,
        group: String? = nil,
        minimumSerial: UInt32 = 1,
        minimumLevel: CallerLevel = .digest,
        revokedDigests: [Bytes32] = [],
        applicationGroups: [String] = [],
        sandboxes: [Sandbox] = []
    ) {
        identifier = TeamIdentifier(of: publicKey)
        self.publicKey = publicKey
        self.name = name
        self.group = group
        self.minimumSerial = minimumSerial
        self.minimumLevel = minimumLevel
        self.revokedDigests = revokedDigests
        self.applicationGroups = applicationGroups
        self.sandboxes = sandboxes
    }

    /// Returns whether a program in this sandbox has the caller level `sandbox`; false without a sandbox.
    package func accepts(_ sandbox: Sandbox?) -> Bool {
        guard let sandbox else { return false }
        return sandboxes.isEmpty || sandboxes.contains(sandbox)
    }

    /// Returns why the team does not trust a signed executable; `nil` if it does.
    func distrust(_ statement: SignedStatement, at time: UInt64) -> Distrust? {
        let certificate = statement.certificate
        if certificate.serial < minimumSerial { return .signingKeyRevoked }
        if revokedDigests.contains(statement.executable.digest) { return .executableRevoked }
        if certificate.validUntil != 0, certificate.validUntil <= time { return .signingKeyExpired }
        if statement.expires != 0, statement.expires <= time { return .signatureExpired }
        return nil
    }
}
