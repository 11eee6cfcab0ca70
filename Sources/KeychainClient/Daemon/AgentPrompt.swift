// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// A request for the user's passcode, which the program `keychain-agent` shows.
///
/// `keychain-agent` sends the passcode to the daemon, so this process does not see it. The user of this type runs
/// ``agent`` with the ``arguments``, and then calls ``end()``.
package struct AgentPrompt: Sendable {
    private let daemon: DaemonKeychain
    private let ticket: PromptTicket
    /// A random number that identifies the connection that began the prompt.
    ///
    /// From the passcode, the daemon derives the key for items with an access control. It keeps that key for this
    /// connection only.
    private let epoch: UInt64

    /// The path of the program `keychain-agent`.
    package var agent: String { ticket.agent }

    /// The time limit of the prompt.
    package var seconds: Int { Int(ticket.seconds) }

    package var arguments: [String] {
        let number = Hexadecimal.text(ticket.prompt.bytes)
        return daemon.address == .ofSystem ? [number] : ["--socket", daemon.address.path, number]
    }

    /// Begins a prompt; returns `nil` if this program must ask for the passcode itself.
    ///
    /// The result is `nil` if the system service does not serve this program, or has no `keychain-agent`.
    package static func begin(
        _ purpose: PromptPurpose,
        reason: String?
    ) throws(StatusError) -> Self? {
        guard let daemon = try SystemKeychain.connection(creating: false).daemon,
            try daemon.identity().level >= .digest
        else { return nil }
        do throws(StatusError) {
            let begin = DaemonCall.prompt(.begin(purpose, reason: reason))
            let (reply, epoch) = try daemon.callNumbered(limit: CallDeadline.longCall, begin)
            guard case .prompt(let ticket) = reply else { throw DaemonKeychain.unexpected }
            return Self(daemon: daemon, ticket: ticket, epoch: epoch)
        } catch {
            guard error.reason == .agentMissing else { throw error }
            return nil
        }
    }

    /// Ends the prompt after the process that ran ``agent`` has ended.
    ///
    /// - Returns: A reference to the key for items with an access control, which the daemon keeps; `nil` after a prompt
    ///   to unlock the keychain.
    /// - Throws: The error of the passcode that ended the prompt, such as the third wrong one; `userCanceled` with
    ///   `promptCanceled` if no passcode ended it; `authenticationFailed` with `promptEnded` if the prompt no longer
    ///   exists, for example because the connection that began it has ended; the errors of the call to the daemon.
    package func end() throws(StatusError) -> KeptKey? {
        let call = DaemonCall.prompt(.end(ticket.prompt))
        let (reply, current) = try daemon.callNumbered(limit: CallDeadline.longCall, call)
        guard case .number(let number) = reply else { return nil }
        // If the connection that began the prompt has ended, the daemon has discarded the keys of that connection.
        guard current == epoch else { throw StatusError(.authenticationFailed, .promptEnded) }
        return KeptKey(number, epoch, in: daemon)
    }
}

/// The connection of `keychain-agent` to the daemon, for the one prompt that it shows.
package final class AgentConnection {
    private let socket: DaemonSocket
    private let prompt: Bytes16
    package let text: PromptText

    /// Connects to the daemon, and takes over the prompt with this number.
    ///
    /// Only root, or the user `keychain`, may serve the socket, because the process that serves it gets the user's
    /// passcode. Without `path`, the socket is that of the system service.
    package init(path: String?, prompt: Bytes16) throws(StatusError) {
        self.prompt = prompt
        let address = path.map(DaemonAddress.ofSystem(at:)) ?? .ofSystem
        let claim = ClaimedIdentity(identifier: "keychain-agent", accessGroups: [])
        do throws(ExchangeFailure) {
            let deadline = CallDeadline(after: CallDeadline.call)
            socket = try Self.connect(to: address, claim, deadline)
            let describe = DaemonCall.prompt(.describe(prompt))
            let reply = try socket.perform(describe, CallHeader(until: deadline), until: deadline)
            if case .failure(let error) = reply { throw .refused(error) }
            guard case .promptText(let text) = reply else { throw .lost }
            self.text = text
        } catch {
            throw error.statusError
        }
    }

    /// Connects; tries again if the daemon could not identify `keychain-agent` in time, as on a loaded machine.
    private static func connect(
        to address: DaemonAddress,
        _ claim: ClaimedIdentity,
        _ deadline: CallDeadline
    ) throws(ExchangeFailure) -> DaemonSocket {
        for _ in 0..<2 {
            do throws(ExchangeFailure) {
                return try DaemonSocket(address, claim: claim, until: deadline)
            } catch {
                guard case .lost = error else { throw error }
            }
        }
        return try DaemonSocket(address, claim: claim, until: deadline)
    }

    /// The descriptor of the connection, which becomes readable when the prompt has ended.
    package var descriptor: CInt { socket.descriptor }

    /// Sends the passcode that the user has typed.
    ///
    /// - Throws: `authenticationFailed` with `passcodeWrong`, or `invalidParameter` with `passcodeMalformed`, if the
    ///   user may try again; other errors if not.
    package func answer(_ passcode: borrowing SecretBytes) throws(StatusError) {
        let call = DaemonCall.prompt(.answer(prompt, SentSecret(copying: passcode)))
        let deadline = CallDeadline(after: CallDeadline.longCall)
        do throws(ExchangeFailure) {
            let reply = try socket.perform(call, CallHeader(until: deadline), until: deadline)
            if case .failure(let error) = reply { throw .refused(error) }
        } catch {
            throw error.statusError
        }
    }
}

extension ExchangeFailure {
    fileprivate var statusError: StatusError {
        switch self {
        case .refused(let error): error
        case .timeout: StatusError(.notAvailable, .daemonTimeout)
        case .notSent, .lost: StatusError(.notAvailable, .daemonUnreachable)
        }
    }
}
