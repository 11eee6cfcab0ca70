// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient

/// A temporary directory for files of trusted teams, removed on deallocation.
final class TeamDirectory: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "teams-\(UUID())").path
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755]
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String, mode: mode_t = 0o644) throws {
        try write(Array(text.utf8), to: name, mode: mode)
    }

    func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o644) throws {
        try Data(bytes).write(to: URL(filePath: path + "/" + name))
        chmod(path + "/" + name, mode)
    }

    func write(_ team: Team) throws {
        try write(TeamFile.text(of: team), to: TeamFile.name(of: team.identifier))
    }

    var store: TrustStore { TrustStore(directory: path, owner: geteuid()) }
}

/// Returns a trust store that reads files of these teams from a temporary directory.
func temporaryTrustStore(_ teams: [Team]) throws -> TrustStore {
    let directory = try TeamDirectory()
    for team in teams { try directory.write(team) }
    return directory.store
}
