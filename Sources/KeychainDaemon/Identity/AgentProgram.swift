// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient

/// The program that asks users for their passcode, and sends it to the daemon: `keychain-agent`.
///
/// It has the set-group-ID bit and a system group of its own. The pinentry program has this group, too, so the daemon
/// also checks the executable, and that the kernel started it as a set-group-ID program.
package struct AgentProgram: Sendable {
    package struct Paths: Sendable {
        package var agent: String
        package var pinentry: String

        package init(agent: String, pinentry: String) {
            self.agent = agent
            self.pinentry = pinentry
        }
    }

    let paths: Paths
    let group: gid_t
    let groupName: String
    private let digest: ExecutableDigest

    /// Checks the installed `keychain-agent`; `nil` if it is missing, or if other programs could impersonate it.
    ///
    /// Root must own the file, which no other user may write and every user may execute. It must have the set-group-ID
    /// bit, but not the set-user-ID bit, and no user may be a member of its group.
    package init?(_ paths: Paths) {
        guard InstalledFile.isProtected(paths.agent), let executable = try? OpenExecutable(paths.agent),
            let status = try? ExecutableStatus(of: executable.descriptor),
            status.mode & S_ISGID != 0, status.mode & S_ISUID == 0, status.mode & S_IXOTH != 0,
            let digest = try? executable.digest(), let entry = unsafe getgrgid(status.group)
        else { return nil }
        let name = unsafe String(cString: entry.pointee.gr_name)
        // Users can join a group that has a password. Only root can read the passwords in `/etc/gshadow`; for a daemon
        // of another user, `keychain-identify` checks them later.
        guard (try? TeamGroup.number(of: name, checksShadow: geteuid() == 0)) == status.group else {
            return nil
        }
        self.paths = paths
        group = status.group
        groupName = name
        self.digest = digest
    }

    /// Returns whether a process of the group runs `keychain-agent`, and no code that its user has chosen.
    ///
    /// A process that already has the group can start `keychain-agent` with its own `LD_PRELOAD`, but then the kernel
    /// does not start it in secure-execution mode.
    func isRun(by record: ProgramRecord) -> Bool {
        record.isLocal && record.isSecureExecution && record.executable == digest
    }
}
