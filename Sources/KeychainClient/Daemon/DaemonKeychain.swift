// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
package import KeychainModel
import KeychainStore
import Synchronization

/// A keychain that the daemon serves.
///
/// All threads of the process share two connections, and each connection performs one call at a time. Calls that may
/// take long use only the first connection, so that short calls need not wait for them. Calls that need the keys or
/// passwords that the daemon keeps for a connection also use only the first.
package final class DaemonKeychain: Sendable {
    /// A connection to the daemon, and the credentials that the daemon keeps for it.
    private struct Line {
        /// Whether the daemon keeps keys for this connection.
        let isFirst: Bool
        var socket: DaemonSocket?
        /// A random number that identifies the current connection.
        ///
        /// When the connection ends, the daemon discards the credentials that it keeps for the connection. A forked
        /// process opens a connection of its own, with another number.
        var epoch: UInt64 = 0
        /// The application passwords that the daemon keeps for the connection.
        var passwords: [KeptPassword] = []
    }

    /// An application password that the daemon keeps, and the number by which calls refer to it.
    ///
    /// `password` is `nil` after the program has released the password, which erases it.
    private struct KeptPassword {
        weak var password: ApplicationPassword?
        let number: UInt64
    }

    package let address: DaemonAddress
    private let claim: ClaimedIdentity
    private let line = ForkSafeMutex(Line(isFirst: true))
    /// The connection for calls that find the first one busy.
    private let secondLine = ForkSafeMutex(Line(isFirst: false))
    /// The keys that the daemon still keeps although this process has released them.
    ///
    /// The next call on the first connection discards these keys before it sends its own request.
    private let released = Mutex<[(number: UInt64, epoch: UInt64)]>([])
    /// The maximum number of application passwords that the daemon keeps for this process.
    ///
    /// It is half of the number that the daemon permits for a connection.
    private static let keptPasswords = 32
    /// The pauses between attempts to reach a daemon that has ended, in milliseconds.
    private static let pauses: [UInt32] = [0, 10, 20, 40, 80, 160, 320, 640]

    /// Creates a keychain that connects to the daemon at the first call.
    ///
    /// `claim` is the identity that this program claims to have. A daemon for one user trusts the claim; a daemon for
    /// all users ignores it.
    package init(at address: DaemonAddress, claim: Caller) {
        self.address = address
        self.claim = ClaimedIdentity(
            identifier: claim.applicationIdentifier,
            accessGroups: claim.accessGroups
        )
    }

    /// Connects if necessary, and returns how the daemon identifies this program.
    package func identity() throws(StatusError) -> Welcome {
        let deadline = CallDeadline(after: CallDeadline.call)
        return try locked(.any, until: deadline) { line throws(StatusError) in
            var attempt = 0
            while true {
                do throws(ExchangeFailure) {
                    return try connected(&line, deadline).welcome
                } catch {
                    try recover(from: error, &attempt, deadline)
                }
            }
        }
    }

    /// Which connection a call may use.
    private enum LineChoice {
        /// The first connection, for which the daemon keeps credentials and on which it permits migration.
        case first
        case any
    }

    /// Returns which connection a call may use.
    ///
    /// A call must use the first connection if it may take long, or if it needs the credentials or the permission that
    /// the daemon keeps for that connection.
    private static func choice(
        _ call: DaemonCall,
        _ limit: UInt64,
        _ authentication: Authentication
    ) -> LineChoice {
        if limit > CallDeadline.call || authentication.kept != nil { return .first }
        // This process makes the daemon discard a released password at the next call on the connection that sent the
        // password. The second connection may stay unused for a long time, so no password is sent on it.
        if authentication.credential.applicationPassword != nil { return .first }
        if case .plain(.endMigration) = call { return .first }
        return .any
    }

    /// Calls the closure with the first connection if it is free.
    ///
    /// Otherwise, waits for the first connection, or for the second one if the choice is `any`.
    ///
    /// - Throws: `notAvailable` with `daemonTimeout` if other threads use the connection until the deadline; the error
    ///   of the closure.
    private func locked<Result: Sendable>(
        _ choice: LineChoice,
        until deadline: CallDeadline,
        _ body: (inout Line) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        var result = try line.withLockIfAvailable { line throws(StatusError) in try body(&line) }
        if result == nil {
            switch choice {
            case .first:
                result = try line.withLock(until: deadline.milliseconds) { line throws(StatusError) in
                    try body(&line)
                }
            case .any:
                result = try secondLine.withLock(until: deadline.milliseconds) { line throws(StatusError) in
                    try body(&line)
                }
            }
        }
        guard let result else { throw StatusError(.notAvailable, .daemonTimeout) }
        return result
    }

    func release(number: UInt64, epoch: UInt64) { released.withLock { $0.append((number, epoch)) } }

    /// Calls the daemon; if the connection fails, repeats the call over a new connection.
    ///
    /// A repeated change has the identifier of the first attempt, so that the daemon does not apply it twice.
    ///
    /// - Throws: The daemon's error; `notAvailable`, for example with `daemonTimeout`, `daemonUnreachable`, or
    ///   `outcomeUnknown` if the daemon was restarted after it may have applied the change.
    func call(
        limit: UInt64 = CallDeadline.call,
        _ call: DaemonCall,
        with authentication: Authentication = .none
    ) throws(StatusError) -> DaemonReply {
        try callNumbered(limit: limit, call, with: authentication).reply
    }

    /// Calls the daemon; returns the reply and the random number that identifies the connection.
    func callNumbered(
        limit: UInt64,
        _ call: DaemonCall,
        with authentication: Authentication = .none
    ) throws(StatusError) -> (reply: DaemonReply, epoch: UInt64) {
        let deadline = CallDeadline(after: limit)
        let header = CallHeader(
            deadline: deadline.milliseconds,
            change: call.isChange ? .random() : .zero
        )
        let choice = Self.choice(call, limit, authentication)
        let (reply, epoch) = try locked(choice, until: deadline) { line throws(StatusError) in
            let reply = try deliver(call, header, authentication, &line, deadline)
            return (reply, line.epoch)
        }
        if case .failure(let error) = reply { throw error }
        return (reply, epoch)
    }

    private func deliver(
        _ call: DaemonCall,
        _ header: CallHeader,
        _ authentication: Authentication,
        _ line: inout Line,
        _ deadline: CallDeadline
    ) throws(StatusError) -> DaemonReply {
        var (attempt, header) = (0, header)
        // The daemon instance that may have applied the call in an earlier attempt; `nil` if no instance can have
        // applied it.
        var mayBeAppliedBy: Bytes16?
        while true {
            do throws(ExchangeFailure) {
                let socket = try connected(&line, deadline)
                let instance = socket.welcome.instance
                if call.isChange, let other = mayBeAppliedBy, other != instance {
                    throw .refused(StatusError(.notAvailable, .outcomeUnknown))
                }
                try discardReleased(&line, socket, deadline)
                let complete = try attach(authentication, to: call, &line, socket, deadline)
                let before = mayBeAppliedBy
                header.isRepetition = call.isChange && before != nil
                mayBeAppliedBy = before ?? instance
                do throws(ExchangeFailure) {
                    return try socket.perform(complete, header, until: deadline)
                } catch {
                    // This attempt has not applied the call, but an earlier attempt may have.
                    if case .notSent = error { mayBeAppliedBy = before }
                    throw error
                }
            } catch {
                line.socket = nil
                try recover(from: error, &attempt, deadline)
            }
        }
    }

    /// Waits before the next attempt, or throws the error of the failed call.
    private func recover(
        from failure: ExchangeFailure,
        _ attempt: inout Int,
        _ deadline: CallDeadline
    ) throws(StatusError) {
        switch failure {
        case .refused(let error): throw error
        case .timeout: throw StatusError(.notAvailable, .daemonTimeout)
        case .notSent, .lost:
            guard attempt < Self.pauses.count, deadline.remaining > 0 else {
                throw StatusError(.notAvailable, .daemonUnreachable)
            }
            usleep(Self.pauses[attempt] * 1_000)
            attempt += 1
        }
    }

    private func connected(
        _ line: inout Line,
        _ deadline: CallDeadline
    ) throws(ExchangeFailure) -> DaemonSocket {
        if let socket = line.socket, !socket.hasEnded { return socket }
        line.socket = nil
        line.passwords = []
        let socket = try DaemonSocket(address, claim: claim, until: deadline)
        line.epoch = .random(in: 1...UInt64.max)
        line.socket = socket
        return socket
    }

    /// Returns the call with the numbers of the credentials that the daemon keeps for this connection.
    private func attach(
        _ authentication: Authentication,
        to call: DaemonCall,
        _ line: inout Line,
        _ socket: DaemonSocket,
        _ deadline: CallDeadline
    ) throws(ExchangeFailure) -> DaemonCall {
        switch call {
        case .perform(let request, _):
            return .perform(request, try named(authentication, &line, socket, deadline))
        case .performTogether(let changes, _, let skipsDuplicates):
            let credential = try named(authentication, &line, socket, deadline)
            return .performTogether(changes, credential, skipsDuplicates: skipsDuplicates)
        default: return call
        }
    }

    private func named(
        _ authentication: Authentication,
        _ line: inout Line,
        _ socket: DaemonSocket,
        _ deadline: CallDeadline
    ) throws(ExchangeFailure) -> CallCredential {
        let finger = authentication.credential.finger
        var credential = CallCredential()
        credential.fingersAreExamined = finger.isExamined
        credential.enrolledFingers = finger.enrolled
        credential.recognizedFinger = finger.recognized
        if let kept = authentication.kept, kept.epoch == line.epoch {
            credential.authentication = kept.number
        }
        guard let password = authentication.credential.applicationPassword else { return credential }
        credential.applicationPassword = try number(of: password, &line, socket, deadline)
        return credential
    }

    /// Returns the number by which calls refer to an application password.
    ///
    /// The password itself is sent at its first use on a connection, and again if it was discarded as the oldest of
    /// too many passwords.
    private func number(
        of password: ApplicationPassword,
        _ line: inout Line,
        _ socket: DaemonSocket,
        _ deadline: CallDeadline
    ) throws(ExchangeFailure) -> UInt64 {
        if let known = line.passwords.first(where: { $0.password === password }) { return known.number }
        let call = DaemonCall.secret(.keepApplicationPassword, SentSecret(password.copy()))
        guard
            case .number(let number) = try socket.perform(call, CallHeader(until: deadline), until: deadline)
        else {
            throw .refused(StatusError(.notAvailable, .overloaded))
        }
        line.passwords.append(KeptPassword(password: password, number: number))
        if line.passwords.count > Self.keptPasswords {
            let oldest = line.passwords.removeFirst().number
            _ = try socket.perform(.discard(oldest), CallHeader(until: deadline), until: deadline)
        }
        return number
    }

    /// Makes the daemon discard the unused keys and passwords, because the daemon limits their number.
    private func discardReleased(
        _ line: inout Line,
        _ socket: DaemonSocket,
        _ deadline: CallDeadline
    ) throws(ExchangeFailure) {
        // The daemon keeps keys for the first connection only.
        let ended = released.withLock { released in
            guard line.isFirst else { return [] as [(number: UInt64, epoch: UInt64)] }
            defer { released = [] }
            return released
        }
        let keys = ended.filter { $0.epoch == line.epoch }.map(\.number)
        let passwords = line.passwords.filter { $0.password == nil }.map(\.number)
        line.passwords.removeAll { passwords.contains($0.number) }
        for number in keys + passwords {
            _ = try socket.perform(.discard(number), CallHeader(until: deadline), until: deadline)
        }
    }
}

/// A reference to a key that the daemon keeps for this process.
///
/// The key opens items whose access control requires the passcode. `number` identifies the key, and `epoch` identifies
/// the connection for which the daemon keeps it. The daemon discards the key after the last reference to this object is
/// released.
package final class KeptKey: Sendable {
    let number: UInt64
    let epoch: UInt64
    private let keychain: DaemonKeychain

    init(_ number: UInt64, _ epoch: UInt64, in keychain: DaemonKeychain) {
        self.number = number
        self.epoch = epoch
        self.keychain = keychain
    }

    deinit { keychain.release(number: number, epoch: epoch) }
}
