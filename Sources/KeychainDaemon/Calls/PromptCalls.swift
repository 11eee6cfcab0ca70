// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

/// Prompts for the passcode: the calls of clients, which begin them, and of `keychain-agent`, which shows them.
struct PromptCalls {
    private let prompts: PromptTable
    private let store: UserStore
    private let identification: Identification

    init(_ prompts: PromptTable, _ store: UserStore, _ identification: Identification) {
        self.prompts = prompts
        self.store = store
        self.identification = identification
    }

    func perform(_ call: PromptCall, for session: Session) throws(StatusError) -> DaemonReply {
        switch call {
        case .begin(let purpose, let reason):
            let agent = try agent()
            let number = try prompts.begin(purpose, reason: reason, for: session)
            return .prompt(PromptTicket(prompt: number, agent: agent.paths.agent, seconds: prompts.seconds))
        case .end(let number):
            guard let key = try prompts.end(number, for: session) else { return .response(.done) }
            return .number(key)
        case .describe(let number): return .promptText(try text(of: number, for: session))
        case .answer(let number, let passcode):
            try answer(number, passcode, by: session)
            return .response(.done)
        }
    }

    private func agent() throws(StatusError) -> AgentProgram {
        guard let agent = try identification.agent() else { throw StatusError(.notAvailable, .agentMissing) }
        return agent
    }

    private func text(of number: Bytes16, for session: Session) throws(StatusError) -> PromptText {
        let agent = try agent()
        let prompt = try prompts.take(number, by: session)
        return PromptText(
            purpose: prompt.purpose,
            program: prompt.client.identity.title,
            reason: prompt.reason,
            pinentry: agent.paths.pinentry
        )
    }

    /// Verifies a passcode that `keychain-agent` sends; the store counts a wrong one, and delays later guesses.
    private func answer(
        _ number: Bytes16,
        _ passcode: SentSecret,
        by session: Session
    ) throws(StatusError) {
        let (client, purpose) = try prompts.client(of: number, answeredBy: session)
        do throws(StatusError) {
            switch purpose {
            case .authenticate:
                let key = try store.use { keychain throws(StatusError) in
                    try keychain.authenticate(with: passcode.bytes)
                }
                let kept = try client.credentials.keep(key)
                guard prompts.complete(number, keptKey: kept) else {
                    client.credentials.discard(kept)
                    throw PromptTable.ended
                }
            case .unlock:
                try store.use { keychain throws(StatusError) in try keychain.unlock(with: passcode.bytes) }
                guard prompts.complete(number, keptKey: nil) else { throw PromptTable.ended }
            }
        } catch {
            let mayRepeat = prompts.refuse(number, error)
            // If this error ends the prompt, report `promptEnded`, so that `keychain-agent` does not ask the user
            // again.
            throw mayRepeat ? error : StatusError(error.status, .promptEnded)
        }
    }
}
