// SPDX-License-Identifier: Apache-2.0

extension Reason {
    /// The explanation of a failure between a program and the daemon.
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
        default:
            .init("this operation works on the files of a keychain, which securityd owns")
        }
    }
}
