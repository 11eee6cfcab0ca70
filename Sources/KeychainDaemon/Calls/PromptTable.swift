// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainModel
import Synchronization

/// The prompts for passcodes: a client begins each one, and a process of `keychain-agent` shows it.
///
/// A prompt ends with the right passcode, after three wrong or malformed ones or another error, when the client ends it
/// or disconnects, when `keychain-agent` disconnects, or after a time limit. If the client or the time limit ends the
/// prompt, the daemon disconnects `keychain-agent`.
final class PromptTable: Sendable {
    private enum Outcome: Sendable {
        case open
        /// The passcode was right.
        ///
        /// The number refers to the key that the passcode yields, which the daemon keeps for the client's connection
        /// and which opens items with an access control. It is `nil` if the prompt was to unlock the keychain.
        case answered(UInt64?)
        /// The prompt has ended with this error, and accepts no more passcodes.
        case refused(StatusError)
    }

    private struct Prompt: Sendable {
        let client: Session
        let purpose: PromptPurpose
        let reason: String?
        let deadline: UInt64
        var agent: Session?
        var wrongAnswers = 0
        var outcome = Outcome.open
    }

    let seconds: UInt32
    private static let wrongAnswers = 3
    private static let promptsOfUser = 16
    /// How long after its time limit a prompt is kept for a client that has not asked for its outcome.
    private static let graceMilliseconds: UInt64 = 10_000
    private let prompts = Mutex<[Bytes16: Prompt]>([:])
    /// Called after a prompt was added, because its deadline may be the first at which the daemon must act.
    private let onBegin: @Sendable () -> Void
    /// Milliseconds of a clock that tests can advance.
    private let now: @Sendable () -> UInt64

    init(
        seconds: UInt32,
        now: @escaping @Sendable () -> UInt64 = { SystemClock.milliseconds },
        onBegin: @escaping @Sendable () -> Void
    ) {
        self.seconds = seconds
        self.now = now
        self.onBegin = onBegin
    }

    static var ended: StatusError { StatusError(.authenticationFailed, .promptEnded) }

    func begin(
        _ purpose: PromptPurpose,
        reason: String?,
        for client: Session
    ) throws(StatusError) -> Bytes16 {
        let number = Bytes16.random()
        try prompts.withLock { prompts throws(StatusError) in
            Self.removeAbandoned(from: &prompts, at: now())
            let count = prompts.values.count { $0.client.identity.user == client.identity.user }
            guard count < Self.promptsOfUser else { throw StatusError(.notAvailable, .overloaded) }
            let deadline = now() + UInt64(seconds) * 1_000
            prompts[number] = Prompt(client: client, purpose: purpose, reason: reason, deadline: deadline)
        }
        onBegin()
        return number
    }

    /// Removes the ended prompts whose client has not asked for their outcome in time, and their keys.
    private static func removeAbandoned(from prompts: inout [Bytes16: Prompt], at time: UInt64) {
        for (number, prompt) in prompts where prompt.deadline + graceMilliseconds < time {
            switch prompt.outcome {
            case .open: continue
            case .refused: break
            case .answered(let key): if let key { prompt.client.credentials.discard(key) }
            }
            prompts[number] = nil
        }
    }

    /// Gives a prompt to the process that will show it; returns the client, the purpose and the reason.
    ///
    /// - Throws: `authenticationFailed` with `promptEnded` if the prompt is unknown, has ended, belongs to another user
    ///   than the process, or was given to a process already.
    func take(
        _ number: Bytes16,
        by agent: Session
    ) throws(StatusError) -> (client: Session, purpose: PromptPurpose, reason: String?) {
        try prompts.withLock { prompts throws(StatusError) in
            guard var prompt = prompts[number], prompt.client.identity.user == agent.identity.user,
                prompt.agent == nil, prompt.deadline > now(), case .open = prompt.outcome
            else { throw Self.ended }
            prompt.agent = agent
            prompts[number] = prompt
            return (prompt.client, prompt.purpose, prompt.reason)
        }
    }

    /// Returns the client and the purpose of an open prompt that this process of `keychain-agent` shows.
    ///
    /// - Throws: `authenticationFailed` with `promptEnded` if the prompt is not open, or another process shows it.
    func client(
        of number: Bytes16,
        answeredBy agent: Session
    ) throws(StatusError) -> (client: Session, purpose: PromptPurpose) {
        try prompts.withLock { prompts throws(StatusError) in
            guard let prompt = prompts[number], prompt.agent === agent, prompt.deadline > now(),
                case .open = prompt.outcome
            else { throw Self.ended }
            return (prompt.client, prompt.purpose)
        }
    }

    /// Records that the passcode was right; returns whether the prompt was still open.
    func complete(_ number: Bytes16, keptKey: UInt64?) -> Bool {
        prompts.withLock { prompts in
            guard case .open = prompts[number]?.outcome else { return false }
            prompts[number]?.outcome = .answered(keptKey)
            return true
        }
    }

    /// Records that a passcode was refused; returns whether the user may try again.
    func refuse(_ number: Bytes16, _ error: StatusError) -> Bool {
        prompts.withLock { prompts in
            guard var prompt = prompts[number], case .open = prompt.outcome else { return false }
            defer { prompts[number] = prompt }
            prompt.wrongAnswers += 1
            let isRepeatable = [.passcodeWrong, .passcodeMalformed].contains(error.reason)
            guard isRepeatable, prompt.wrongAnswers < Self.wrongAnswers else {
                prompt.outcome = .refused(error)
                return false
            }
            return true
        }
    }

    /// Ends a prompt for the client that has begun it.
    ///
    /// - Returns: The number under which the daemon keeps the access control key, the key that decrypts items which
    ///   require the user; `nil` after an unlock, which keeps no such key.
    /// - Throws: The error of the passcode that ended the prompt; `userCanceled` with `promptCanceled` if no passcode
    ///   ended it; `authenticationFailed` with `promptEnded` if the prompt is not the client's or no longer exists.
    func end(_ number: Bytes16, for client: Session) throws(StatusError) -> UInt64? {
        let ended = prompts.withLock { prompts in
            prompts[number]?.client === client ? prompts.removeValue(forKey: number) : nil
        }
        guard let ended else { throw Self.ended }
        switch ended.outcome {
        case .answered(let key): return key
        case .refused(let error): throw error
        case .open:
            ended.agent?.disconnect()
            throw StatusError(.userCanceled, .promptCanceled)
        }
    }

    /// Ends the prompts that a client has begun or that `keychain-agent` shows, when its connection ends.
    func endAll(of session: Session) {
        let ended = prompts.withLock { prompts in
            let ended = prompts.filter { $0.value.client === session }
            for number in ended.keys { prompts[number] = nil }
            for (number, prompt) in prompts where prompt.agent === session {
                if case .open = prompt.outcome { prompts[number]?.outcome = .refused(Self.cancelled) }
            }
            return ended.values.compactMap(\.agent)
        }
        for agent in ended { agent.disconnect() }
    }

    private static var cancelled: StatusError { StatusError(.userCanceled, .promptCanceled) }

    /// Ends the prompts whose deadline has passed, and disconnects the processes that show them.
    ///
    /// - Returns: The milliseconds until the next prompt ends; -1 without one.
    func endOverdue() -> CInt {
        let time = now()
        let (agents, next) = prompts.withLock { prompts in
            var (agents, next): ([Session], UInt64?) = ([], nil)
            for (number, prompt) in prompts {
                guard case .open = prompt.outcome else { continue }
                if prompt.deadline <= time {
                    prompts[number]?.outcome = .refused(Self.cancelled)
                    if let agent = prompt.agent { agents.append(agent) }
                } else {
                    next = min(next ?? .max, prompt.deadline)
                }
            }
            return (agents, next)
        }
        for agent in agents { agent.disconnect() }
        return next.map { CInt(clamping: $0 - time + 1) } ?? -1
    }
}
