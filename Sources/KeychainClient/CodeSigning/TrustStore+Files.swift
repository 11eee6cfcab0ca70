// SPDX-License-Identifier: Apache-2.0

extension TrustStore {
    /// The directory of the administrator's team files.
    package static let systemDirectory = "/etc/keychain/teams.d"

    /// Reads the files `TEAMID.team` of a directory; a defective file disables only its own team.
    ///
    /// The directory and the files must belong to `owner`, and not be writable by other users. A missing directory
    /// means that there are no teams.
    package init(directory: String, owner: UInt32 = 0) {
        self.init()
        AdministratorFiles(
            directory: directory,
            suffix: TeamFile.suffix,
            owner: owner,
            maximumByteCount: TeamFile.maximumByteCount
        ).forEach { name, contents in
            do throws(TeamFileDefect) {
                let team = try TeamFile.parse(contents.get())
                guard name == TeamFile.name(of: team.identifier) else { throw .otherName }
                add(team)
            } catch {
                disable(name, error)
            }
        }
    }

    /// Returns the teams that this system's administrator trusts.
    package static func ofSystem() -> Self { Self(directory: systemDirectory) }
}
