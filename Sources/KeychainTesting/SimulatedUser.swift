// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainUserPresence
import Synchronization

/// Answers the prompts of a test in place of the user.
final class SimulatedUser: Sendable {
    private struct Content {
        /// The answers in reverse order: the last element answers the next prompt.
        ///
        /// The last remaining answer is not removed: it also answers all further prompts.
        var answers: [TemporaryKeychain.Answer] = [.unavailable]
        var prompts: [TemporaryKeychain.Prompt] = []
    }

    private let content = Mutex(Content())
    private let store: TemporaryStore

    init(knowing store: TemporaryStore) { self.store = store }

    var prompts: [TemporaryKeychain.Prompt] { content.withLock { $0.prompts } }

    func removePrompts() { content.withLock { $0.prompts = [] } }

    func answer(with answers: [TemporaryKeychain.Answer]) {
        content.withLock { $0.answers = answers.reversed() }
    }

    /// Pinentry settings that let this object answer prompts, instead of a pinentry program.
    var settings: PinentrySettings {
        var settings = PinentrySettings(program: nil)
        settings.simulatedUser = { dialog, errorMessage throws(PinentryFailure) in
            try self.answer(dialog, errorMessage)
        }
        return settings
    }

    private func answer(
        _ dialog: PinentryDialog,
        _ errorMessage: String?
    ) throws(PinentryFailure) -> SecretBytes {
        let prompt = TemporaryKeychain.Prompt(
            text: dialog.description,
            errorMessage: errorMessage,
            cancelTitle: dialog.cancelTitle
        )
        switch nextAnswer(to: prompt).content {
        case .unavailable: throw .noTerminal
        case .cancel: throw .cancelled
        case .string(let text): return SecretBytes(text: text.text)
        case .passcode: return SecretBytes(text: store.passcode ?? "")
        case .wrongPasscode: return SecretBytes(text: "not " + (store.passcode ?? "a passcode"))
        }
    }

    private func nextAnswer(to prompt: TemporaryKeychain.Prompt) -> TemporaryKeychain.Answer {
        content.withLock { content in
            let answer = content.answers.last ?? .unavailable
            if content.answers.count > 1 { content.answers.removeLast() }
            if case .unavailable = answer.content { return answer }
            content.prompts.append(prompt)
            return answer
        }
    }
}
