// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainStore

struct TestTeam {
    private let key = Ed25519PrivateKey.random()
    private let signingKey = Ed25519PrivateKey.random()

    var identifier: String { TeamIdentifier(of: key.publicKey).text }

    /// Writes the team's file to the administrator's directory, which makes the team trusted.
    func trust(
        in directory: URL,
        group: String? = nil,
        minimumLevel: CallerLevel = .digest,
        sandboxes: [String] = []
    ) throws {
        let team = Team(
            publicKey: key.publicKey,
            name: "Test",
            group: group,
            minimumLevel: minimumLevel,
            sandboxes: sandboxes.compactMap { Sandbox(text: $0) }
        )
        let file = directory.appending(component: identifier + TeamFile.suffix)
        try Data(TeamFile.text(of: team).utf8).write(to: file)
        chmod(file.path, 0o644)
    }

    func distrust(in daemon: SystemDaemon) throws {
        try FileManager.default.removeItem(
            at: daemon.teams.appending(component: identifier + TeamFile.suffix)
        )
    }

    /// Writes an executable's signature beside it; `groups` are access groups without the team's identifier.
    func sign(_ executable: String, groups: [String], applicationGroups: [String] = []) throws {
        let file = open(executable, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let statement = SignedStatement(
            executable: try ExecutableDigest(of: file),
            certificate: SigningKeyCertificate(of: signingKey.publicKey, serial: 1, validUntil: 0, by: key),
            signedAt: UInt64(Date().timeIntervalSince1970),
            expires: 0,
            isGroupLevelOnly: false,
            entitlements: SignedEntitlements(
                identifier: "app",
                accessGroups: groups.map { "\(identifier).\($0)" },
                applicationGroups: applicationGroups
            )
        )
        let signature = try CodeSignature(signing: statement, with: signingKey).bytes
        try Data(signature).write(to: URL(filePath: executable + SignatureSource.suffix))
        chmod(executable + SignatureSource.suffix, 0o644)
    }
}
