// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import Synchronization

/// The keys and application passwords that the daemon keeps for one connection.
///
/// The keys open items whose access control requires the passcode. Clients refer to keys and passwords by number.
final class KeptCredentials: Sendable {
    private enum Entry: Sendable {
        case key(AccessControlKey)
        case password(ApplicationPassword)
    }

    private struct State {
        var entries: [UInt64: Entry] = [:]
        var last: UInt64 = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    func keep(_ key: AccessControlKey) throws(StatusError) -> UInt64 { try keep(.key(key)) }

    func keep(_ password: ApplicationPassword) throws(StatusError) -> UInt64 { try keep(.password(password)) }

    func discard(_ number: UInt64) { state.withLock { $0.entries[number] = nil } }

    private func keep(_ entry: Entry) throws(StatusError) -> UInt64 {
        try state.withLock { state throws(StatusError) in
            guard state.entries.count < limit else { throw StatusError(.notAvailable, .overloaded) }
            state.last += 1
            state.entries[state.last] = entry
            return state.last
        }
    }

    /// Returns the fingerprint result that a client claims, for a daemon that serves one user; otherwise none.
    ///
    /// A program could forge the result. With the user service it gains nothing by that, because it can read the
    /// store's files anyway. The system service does not query the sensor itself, so it accepts no result.
    private static func finger(_ call: CallCredential, at level: CallerLevel) -> FingerEvidence {
        guard level < .digest else { return .none }
        return FingerEvidence(
            isExamined: call.fingersAreExamined,
            enrolled: call.enrolledFingers,
            recognized: call.recognizedFinger
        )
    }

    /// Returns the kept key and password to which a call refers, the fingerprint result that it claims, and the level.
    ///
    /// A number under which nothing is kept is ignored.
    func credential(_ call: CallCredential, at level: CallerLevel) -> Credential {
        state.withLock { state in
            var (key, password): (AccessControlKey?, ApplicationPassword?) = (nil, nil)
            if case .key(let kept) = state.entries[call.authentication] { key = kept }
            if case .password(let kept) = state.entries[call.applicationPassword] { password = kept }
            return Credential(
                accessControlKey: key,
                applicationPassword: password,
                finger: Self.finger(call, at: level),
                level: level
            )
        }
    }
}
