// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainUserPresence
import Synchronization

/// Who sits at the machine of a test.
final class Person: Sendable {
    private struct Content {
        /// The next answer is the last of these; the one that remains is for ever.
        var answers: [TemporaryKeychain.Answer] = [.nobody]
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

    /// Has prompts answered here, whatever the environment says.
    var settings: PinentrySettings {
        var settings = PinentrySettings(program: nil)
        settings.person = { dialog, complaint throws(PinentryFailure) in
            try self.answer(dialog, complaint)
        }
        return settings
    }

    private func answer(
        _ dialog: PinentryDialog,
        _ complaint: String?
    ) throws(PinentryFailure) -> SecretBytes {
        let prompt = TemporaryKeychain.Prompt(
            text: dialog.description,
            complaint: complaint,
            cancelTitle: dialog.cancelTitle
        )
        switch nextAnswer(to: prompt).content {
        case .nobody: throw .noTerminal
        case .cancel: throw .cancelled
        case .text(let text): return SecretBytes(text: text.text)
        case .passcode: return SecretBytes(text: store.passcode ?? "")
        case .wrongPasscode: return SecretBytes(text: "not " + (store.passcode ?? "a passcode"))
        }
    }

    private func nextAnswer(to prompt: TemporaryKeychain.Prompt) -> TemporaryKeychain.Answer {
        content.withLock { content in
            let answer = content.answers.last ?? .nobody
            if content.answers.count > 1 { content.answers.removeLast() }
            if case .nobody = answer.content { return answer }
            content.prompts.append(prompt)
            return answer
        }
    }
}
