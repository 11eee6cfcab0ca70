// SPDX-License-Identifier: Apache-2.0

import KeychainServices
import Testing

/// How the attacked program is identified: a column of the table in `Documentation/ThreatModel.md`.
enum AttackLevel: String, CaseIterable, Sendable {
    case noDaemon = "no daemon"
    case userService = "user service"
    case digest = "`digest`"
    case sandbox = "`sandbox`"
    case group = "`group`"

    /// Whether the system service identifies the attacked program.
    var isOfSystem: Bool { [.digest, .sandbox, .group].contains(self) }
}

enum AttackOutcome: String, Sendable {
    case granted = "**granted**"
    case denied
    /// The attack is not possible at all at this ``AttackLevel``, so it is not attempted.
    case absent = "does not apply"
}

/// An attack on an item of a signed program: a row of the table in `Documentation/ThreatModel.md`.
enum Attack: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case otherUserReadsFiles = "another user reads the files of the store"
    case otherUserAsks = "another user claims the victim's access group, to read the item"
    case userReadsFiles = "the user reads the files of the store"
    case unsignedAsks = "an unsigned program claims the victim's access group, to read the item"
    case copiedSignature = "a changed executable presents a copy of the victim's signature"
    case replacedExecutable = "while the victim runs, its executable is replaced and started again"
    case exec = "a program connects, and becomes another program by `exec`, which makes calls"
    case passedDescriptor = "a program connects, and passes the connection to another process"
    case reusedProcessID = "a new process has the connection, and the process ID, of a process that ended"
    case preload = "`LD_PRELOAD` loads a library of the attacker into the victim"
    case traceVictim = "the attacker traces the victim by `ptrace`"
    case takenDescriptor = "`pidfd_getfd` takes the victim's connection, or its open database"
    case signedCopier = "a program connects, and becomes a signed `cat` by `exec`, which copies messages"
    case plugIn = "the victim loads a plug-in of the attacker"
    case command = "the user runs `security find-generic-password -w` for the item"
    case falseDialogUnlocks = "a false dialog gets the passcode, and unlocks the keychain"
    case falseDialogAsks = "a false dialog gets the passcode, and an unsigned program claims the group"
    case traceDaemon = "the attacker traces the daemon by `ptrace`"
    case killDaemon = "the attacker ends the daemon by `kill -9`"
    case squatter = "another user listens at the path of the daemon's socket"
    case garbage = "10,000 connections that send garbage keep the victim from its item"
    case slowMessage = "a program that sends a message slowly keeps the victim from its item"
    case killedClients = "programs that are killed during their calls keep the victim from its item"
    case fullDisk = "a full disk keeps the victim from its item"
    case killUnderLoad = "an item is lost when root kills the daemon while a program adds items"

    var testDescription: String { rawValue }

    /// The expected outcomes, in the order of `AttackLevel.allCases`.
    var outcomes: [AttackOutcome] {
        switch self {
        case .otherUserReadsFiles, .otherUserAsks: [.denied, .denied, .denied, .denied, .denied]
        case .userReadsFiles, .unsignedAsks, .command, .falseDialogAsks:
            [.granted, .granted, .denied, .denied, .denied]
        case .copiedSignature, .replacedExecutable: [.absent, .absent, .denied, .denied, .denied]
        case .exec, .reusedProcessID, .killDaemon: [.absent, .granted, .denied, .denied, .denied]
        case .passedDescriptor, .traceDaemon, .squatter, .garbage, .slowMessage, .killedClients, .fullDisk,
            .killUnderLoad:
            [.absent, .denied, .denied, .denied, .denied]
        case .preload, .traceVictim, .takenDescriptor: [.granted, .granted, .granted, .granted, .denied]
        case .signedCopier: [.absent, .absent, .granted, .granted, .denied]
        case .plugIn, .falseDialogUnlocks: [.granted, .granted, .granted, .granted, .granted]
        }
    }

    func outcome(at level: AttackLevel) -> AttackOutcome {
        zip(AttackLevel.allCases, outcomes).first { $0.0 == level }?.1 ?? .absent
    }
}

struct AttackRecord: Sendable {
    let operation: String
    var result: Int32 = errSecMissingEntitlement
    var user = SystemDaemon.User.alice
    /// Whether the audit record must name a program that is identified only by its executable's digest.
    var isUnsigned = false
}

extension Attack {
    /// Returns the audit record that must exist after the attack was denied; `nil` if the daemon does not see the
    /// attack.
    func record(at level: AttackLevel) -> AttackRecord? {
        switch self {
        // The other user's program is not refused: it gets that user's own, empty store.
        case .otherUserAsks:
            return level.isOfSystem ? AttackRecord(operation: "connect", result: 0, user: .bob) : nil
        case .unsignedAsks, .copiedSignature, .replacedExecutable, .signedCopier, .command, .falseDialogAsks:
            return AttackRecord(operation: "add", isUnsigned: true)
        case .exec, .passedDescriptor, .reusedProcessID: return AttackRecord(operation: "refuse")
        case .otherUserReadsFiles, .userReadsFiles, .preload, .traceVictim, .takenDescriptor, .plugIn,
            .falseDialogUnlocks, .traceDaemon, .killDaemon, .squatter, .garbage, .slowMessage, .killedClients,
            .fullDisk, .killUnderLoad:
            return nil
        }
    }
}
