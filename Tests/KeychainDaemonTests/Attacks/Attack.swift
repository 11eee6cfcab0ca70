// SPDX-License-Identifier: Apache-2.0

import KeychainServices
import Testing

/// The identification level of the attacked program: a column of the table in `Documentation/ThreatModel.md`.
enum AttackLevel: String, CaseIterable, Sendable {
    case noDaemon = "no daemon"
    case userService = "user service"
    case digest = "`digest`"
    case group = "`group`"
}

enum AttackOutcome: String, Sendable {
    case granted = "**granted**"
    case denied
    /// The attack does not exist at this level.
    case absent = "–"
}

/// An attack on an item of a signed program: a row of the table in `Documentation/ThreatModel.md`.
enum Attack: String, CaseIterable, Sendable {
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
    case traceDaemon = "`ptrace` of the daemon"
    case squatter = "another user listens at the socket's path"

    var outcomes: [AttackOutcome] {
        switch self {
        case .otherUserReadsFiles, .otherUserAsks: [.denied, .denied, .denied, .denied]
        case .userReadsFiles, .unsignedAsks: [.granted, .granted, .denied, .denied]
        case .copiedSignature, .replacedExecutable: [.absent, .absent, .denied, .denied]
        case .exec, .reusedProcessID: [.absent, .granted, .denied, .denied]
        case .passedDescriptor, .traceDaemon, .squatter: [.absent, .denied, .denied, .denied]
        case .preload, .traceVictim: [.granted, .granted, .granted, .denied]
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
    /// Whether the record must name a program that is identified only by its executable's digest.
    var isUnsigned = false
}

extension Attack {
    /// Returns the record of the daemon's denial; `nil` if the kernel or the victim denies the attack.
    func record(at level: AttackLevel) -> AttackRecord? {
        let isOfSystem = level == .digest || level == .group
        switch self {
        // The other user's program is not refused: it gets that user's own, empty store.
        case .otherUserAsks:
            return isOfSystem ? AttackRecord(operation: "connect", result: 0, user: .bob) : nil
        case .unsignedAsks, .copiedSignature, .replacedExecutable:
            return AttackRecord(operation: "add", isUnsigned: true)
        case .exec, .passedDescriptor, .reusedProcessID: return AttackRecord(operation: "refuse")
        case .otherUserReadsFiles, .userReadsFiles, .preload, .traceVictim, .traceDaemon, .squatter:
            return nil
        }
    }
}

/// An attack at a level: a cell of the table.
struct AttackCase: Sendable, CustomTestStringConvertible {
    let attack: Attack
    let level: AttackLevel

    var testDescription: String { "\(attack.rawValue), \(level.rawValue)" }

    static let all: [AttackCase] = Attack.allCases.flatMap { attack in
        AttackLevel.allCases.map { AttackCase(attack: attack, level: $0) }
    }
}
