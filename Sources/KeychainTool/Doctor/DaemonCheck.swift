// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// Checks whether this program opens the store or calls `securityd`, and whether `securityd` works.
enum DaemonCheck {
    private static let topic = "back end"

    static func findings() throws(StatusError) -> [Finding] {
        guard try SystemKeychain.hasDaemon() else { return [embedded] }
        let status = try SystemKeychain.runningDaemon().daemonStatus()
        return [served(status), agent(status)] + status.defects.map(defect)
    }

    /// The finding for a program that opens the store itself.
    private static var embedded: Finding {
        let text = "this program opens the store itself"
        guard let status = try? SystemKeychain.runningDaemon().daemonStatus() else {
            return Finding(topic, .ok, text)
        }
        return Finding(
            topic,
            .note,
            "\(text), although securityd of \(owner(status)) is running: KEYCHAIN_HOME, KEYCHAIN_BACKEND or an operand selects the store",
            remedy: "without them, this program uses the keychain of securityd"
        )
    }

    private static func served(_ status: DaemonStatus) -> Finding {
        let text = "securityd \(status.version) of \(owner(status)), process \(status.process)"
        guard status.auditWorks else {
            let remedy = "free space on its file system and check the permissions of its directory"
            return Finding(topic, .problem, "\(text), cannot write its audit log", remedy: remedy)
        }
        guard status.version == Help.version else {
            let difference = "\(text); this command has version \(Help.version)"
            return Finding(topic, .note, difference, remedy: "restart securityd")
        }
        return Finding(topic, .ok, text)
    }

    /// Reports whether programs see the passcode that the user types.
    private static func agent(_ status: DaemonStatus) -> Finding {
        if status.hasAgent {
            return Finding("agent", .ok, "keychain-agent asks for the passcode: programs do not see it")
        }
        let text = "programs ask for the passcode themselves, and see it"
        guard status.isSystemService else { return Finding("agent", .note, text) }
        let remedy = "install keychain-agent with set-group-ID, as Documentation/Daemon.md says"
        return Finding("agent", .note, text, remedy: remedy)
    }

    /// Reports why programs do not get the access groups that the administrator wants to give them.
    private static func defect(_ defect: TrustDefect) -> Finding {
        let remedy = "the administrator corrects it, and runs systemctl reload securityd"
        return Finding("teams", .problem, "\(defect.name): \(defect.problem)", remedy: remedy)
    }

    private static func owner(_ status: DaemonStatus) -> String {
        status.isSystemService ? "the system" : "this user"
    }
}
