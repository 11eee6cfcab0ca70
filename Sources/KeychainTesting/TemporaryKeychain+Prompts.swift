// SPDX-License-Identifier: Apache-2.0

/// The simulated user, who answers prompts for the passcode.
extension TemporaryKeychain {
    /// A prompt that was shown to the simulated user.
    public struct Prompt: Sendable, Hashable {
        /// The full message: the program's name, what it asks for, and its reason if it gives one.
        public let text: String
        /// The error message shown because the previous answer was wrong; `nil` otherwise.
        public let errorMessage: String?
        /// The title of the cancel button, if the program chose one.
        public let cancelTitle: String?
    }

    /// What the simulated user does at a prompt.
    public struct Answer: Sendable, CustomStringConvertible {
        enum Content: Sendable {
            case passcode, wrongPasscode, string(RedactedString), cancel, unavailable
        }

        let content: Content

        /// Types the passcode that the test set.
        public static let passcode = Self(content: .passcode)
        /// Types a wrong passcode.
        public static let wrongPasscode = Self(content: .wrongPasscode)
        /// Types the given string.
        public static func string(_ string: String) -> Self { Self(content: .string(RedactedString(string))) }
        /// Cancels; the call returns `errSecUserCanceled`.
        public static let cancel = Self(content: .cancel)
        /// The user cannot be asked: no prompt is shown, and the call returns `errSecInteractionNotAllowed`.
        public static let unavailable = Self(content: .unavailable)

        /// The kind of answer; a string is shown as `[redacted]`.
        public var description: String {
            switch content {
            case .passcode: "passcode"
            case .wrongPasscode: "wrong passcode"
            case .string(let string): "string \(string)"
            case .cancel: "cancel"
            case .unavailable: "unavailable"
            }
        }
    }

    /// Sets the answers to the next prompts; the last one also answers all further prompts.
    ///
    /// Until a test calls this function, its calls are non-interactive. One call prompts up to three times while
    /// answers are wrong. Wrong passcodes count as in any keychain: after the fourth in a row, even the correct
    /// passcode is rejected for some seconds.
    ///
    /// - Parameters:
    ///   - first: The answer to the next prompt.
    ///   - others: The answers to the following prompts.
    public func answerPrompts(with first: Answer, _ others: Answer...) {
        user.answer(with: [first] + others)
    }

    /// The prompts shown so far, oldest first; a repeated prompt is a further element.
    ///
    /// A prompt answered with ``Answer/unavailable`` was not shown and is not included.
    public var prompts: [Prompt] { user.prompts }

    /// Clears ``prompts``.
    public func removePrompts() { user.removePrompts() }
}
