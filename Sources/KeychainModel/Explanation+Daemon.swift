// SPDX-License-Identifier: Apache-2.0

extension Reason {
    /// The explanation of a failure of securityd, or of a call to it.
    var explanationOfDaemon: Explanation {
        switch self {
        case .malformedMessage:
            .init(
                "the program and securityd do not understand each other",
                "install the same version of both"
            )
        case .daemonUnreachable:
            .init("securityd does not answer", "start it, or set KEYCHAIN_BACKEND to embedded")
        case .daemonNotTrusted:
            .init(
                "the process at securityd's socket is not securityd",
                "find out which process has created the socket, and remove it"
            )
        case .daemonTimeout: .init("securityd did not reply in time", "try again")
        case .outcomeUnknown:
            .init(
                "securityd ended before it confirmed the change",
                "check whether the change was made before repeating it"
            )
        case .callerRefused: .init("securityd does not serve this program or user")
        case .overloaded:
            .init("securityd has too many connections or requests of this user", "try again later")
        case .daemonIsRunning: .init("another securityd listens at this socket", "stop it first")
        case .notThroughDaemon:
            .init("this operation works on the files of a keychain, which securityd owns")
        case .teamNotTrusted, .teamOfAdministrator: explanationOfTeam
        default: explanationOfLimit
        }
    }

    private var explanationOfTeam: Explanation {
        if self == .teamNotTrusted {
            .init(
                "a team is not trusted, so its groups cannot be given to programs",
                "install its team file, or run security team trust"
            )
        } else {
            .init(
                "the administrator trusts the team, so only root can move its items",
                "run the command as root"
            )
        }
    }

    /// The explanation of a call that the daemon refuses.
    private var explanationOfLimit: Explanation {
        switch self {
        case .callerLevelTooLow:
            .init(
                "the item requires a higher level of identification than the program has reached",
                "see security doctor for the level, and sign or install the program as Documentation/Daemon.md says"
            )
        case .auditUnavailable:
            .init(
                "securityd cannot write its audit log, and changes nothing until it can",
                "free space on its disk"
            )
        case .storeFull:
            .init(
                "the user's keychain in securityd has its maximum size",
                "delete items that are no longer needed"
            )
        case .diskNearlyFull:
            .init(
                "the disk of securityd is nearly full, so securityd stores nothing",
                "delete items that are no longer needed, or free space on the disk"
            )
        case .agentMissing:
            .init(
                "securityd has no agent that asks the user",
                "install keychain-agent as Documentation/Daemon.md says"
            )
        case .promptEnded: .init("the prompt for the passcode has ended, or belongs to another program")
        case .migrationRefused:
            .init(
                "securityd already has items of this user",
                "enter the passcode of the keychain in securityd"
            )
        default:
            .init("this operation works on the files of a keychain, which securityd owns")
        }
    }
}
