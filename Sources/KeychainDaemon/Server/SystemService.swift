// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
package import KeychainModel
import KeychainStore

/// The directories of the daemon for all users, and its connection to `keychain-identify`.
package struct SystemService: Sendable {
    /// The directory of all stores.
    package let state: String
    package let teams: String
    /// The directory of the lists of unsigned programs that keep their access group after an update.
    package let programs: String
    package let identify: IdentifyClient
    /// The paths of `keychain-agent`, which asks users for their passcode, and of the pinentry program that it runs.
    package let agent: AgentProgram.Paths

    package init(
        state: String,
        teams: String,
        programs: String,
        identify: IdentifyClient,
        agent: AgentProgram.Paths
    ) {
        self.agent = agent
        self.programs = programs
        self.state = state
        self.teams = teams
        self.identify = identify
    }

    /// The directory of a user's store.
    func directory(of user: UInt32) -> String { "\(state)/users/\(user)" }

    /// The users whose stores have a directory.
    func usersWithDirectory() -> [UInt32] {
        let directory = Descriptor(unsafe open(state + "/users", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        guard directory.number >= 0 else { return [] }
        return PrivateDirectory.names(in: directory.number).compactMap { UInt32($0) }
    }

    /// Creates the directory of all stores; if an account is given, makes it the owner, and switches to it.
    ///
    /// From then on, no other user can read the stores, trace this process, or dump its memory.
    ///
    /// - Throws: `notAvailable` with `systemCall` or `directoryNotPrivate`.
    package static func prepare(
        state: String,
        for account: ServiceAccount?
    ) throws(StatusError) {
        let owner = account?.user ?? geteuid()
        for directory in [state, state + "/users"] {
            unsafe mkdir(directory, 0o700)
            let opened = Descriptor(unsafe open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
            guard opened.number >= 0 else { throw StatusError(.notAvailable, .systemCall, code: errno) }
            if let account { _ = fchown(opened.number, account.user, account.group) }
            var file = clinux_file()
            guard unsafe clinux_identify(opened.number, "", 0, &file) == 0, file.owner == owner,
                file.mode & 0o077 == 0
            else { throw StatusError(.notAvailable, .directoryNotPrivate) }
        }
        guard let account else { return }
        guard clinux_become(account.user, account.group) == 0, clinux_forbid_dumps() == 0 else {
            throw StatusError(.notAvailable, .systemCall, code: errno)
        }
    }
}
