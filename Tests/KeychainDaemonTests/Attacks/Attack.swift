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
    case absent = "–"
}

/// An attack on an item of a signed program: a row of the table in `Documentation/ThreatModel.md`.
enum Attack: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case otherUserReadsFiles = "another user reads the files of the store"
    case otherUserAsks = "another user asks for the group"
    case userReadsFiles = "the user reads the files of the store"
    case unsignedAsks = "an unsigned program asks for the group"
    case copiedSignature = "a changed executable has a copy of the signature"
    case replacedExecutable = "a running program's executable is replaced"
    case exec = "another program gets the connection by `exec`"
    case passedDescriptor = "another process gets the connection's descriptor"
    case reusedProcessID = "a new process has the process ID of the one that connected"
    case preload = "`LD_PRELOAD` into the victim"
    case traceVictim = "`ptrace` of the victim"
    case takenDescriptor = "`pidfd_getfd` takes the victim's connection, or its open database"
    case signedCopier = "a program connects, and becomes a signed `cat` by `exec`"
    case plugIn = "the victim loads a plug-in of the attacker"
    case command = "the user runs `security find-generic-password -w`"
    case falseDialogUnlocks = "a false dialog gets the passcode, and unlocks the keychain"
    case falseDialogAsks = "a false dialog gets the passcode, and an unsigned program asks for the group"
    case traceDaemon = "`ptrace` of the daemon"
    case killDaemon = "`kill -9` of the daemon"
    case squatter = "another user listens at the socket's path"
    case garbage = "10,000 connections send garbage"
    case slowMessage = "a program sends a message slowly"
    case killedClients = "programs are killed during their calls"
    case fullDisk = "the disk is full"
    case killUnderLoad = "root kills the daemon while a program adds items"

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
