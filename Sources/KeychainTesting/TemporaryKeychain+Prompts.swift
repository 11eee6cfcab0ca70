// SPDX-License-Identifier: Apache-2.0

/// The person at the machine, whom a call asks for the passcode.
extension TemporaryKeychain {
    /// What the user was asked.
    public struct Prompt: Sendable, Hashable {
        /// The whole text: which program asks, and the reason that the program gave.
        public let text: String
        /// What was said about the answer before, where one was wrong.
        public let complaint: String?
        /// The title of the button that cancels, where the program chose one.
        public let cancelTitle: String?
    }

    /// What the person at the machine does when asked for the passcode.
    public struct Answer: Sendable, CustomStringConvertible {
        enum Content: Sendable {
            case passcode, wrongPasscode, text(HiddenText), cancel, nobody
        }

        let content: Content

        /// Types the passcode that the test has set.
        public static let passcode = Self(content: .passcode)
        /// Types something that is not the passcode.
        public static let wrongPasscode = Self(content: .wrongPasscode)
        /// Types the given text.
        public static func text(_ text: String) -> Self { Self(content: .text(HiddenText(text))) }
        /// Cancels: `errSecUserCanceled`.
        public static let cancel = Self(content: .cancel)
        /// Is not there: nothing is shown, and what would ask fails with `errSecInteractionNotAllowed`.
        public static let nobody = Self(content: .nobody)

        /// What is done, without the text.
        public var description: String {
            switch content {
            case .passcode: "passcode"
            case .wrongPasscode: "wrong passcode"
            case .text(let text): "text \(text)"
            case .cancel: "cancel"
            case .nobody: "nobody"
            }
        }
    }

    /// Decides how the next prompts are answered, one after the other; the last answer is given to all that follow.
    ///
    /// Before the first use, calls are non-interactive. The user is asked up to three times within one call, as long as the
    /// answers are wrong. Wrong passcodes are counted as always: after the fourth in a row the right one is refused, too,
    /// for some seconds.
    ///
    /// - Parameters:
    ///   - first: The answer to the next prompt.
    ///   - others: The answers to those that follow.
    public func answerPrompts(with first: Answer, _ others: Answer...) {
        person.answer(with: [first] + others)
    }

    /// What the person was asked so far, the oldest first: one for every time that an answer was waited for.
    ///
    /// Its `count` is the number of prompts. What nobody saw is not in it.
    public var prompts: [Prompt] { person.prompts }

    /// Forgets the prompts so far.
    public func removePrompts() { person.removePrompts() }
}
