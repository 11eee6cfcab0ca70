// SPDX-License-Identifier: Apache-2.0

import KeychainControl

/// Reads a passcode from an option, the terminal or standard input.
struct PasscodeInput {
    private let arguments: ScannedArguments

    init(_ arguments: ScannedArguments) { self.arguments = arguments }

    /// Returns the passcode of an option; `nil` without the option.
    ///
    /// If the option has no value, prompts, or without a terminal reads the next line of standard input.
    func optional(_ option: String, asking prompts: [String]) throws(Failure) -> Passcode? {
        guard arguments.has(option) else { return nil }
        return try required(option, asking: prompts)
    }

    /// Warns about a new passcode of one character.
    static func warn(ofGuessable new: borrowing Passcode) {
        guard new.isOneCharacter else { return }
        Console.complain(
            "warning: a program that has the store's files can guess a passcode of one character at once"
        )
    }

    /// Returns the passcode of an option.
    ///
    /// If the option is missing or has no value, prompts, or without a terminal reads the next line of standard
    /// input.
    func required(_ option: String, asking prompts: [String]) throws(Failure) -> Passcode {
        if let text = arguments.value(option) {
            if !arguments.isInteractive { Warning.passwordInArguments.give() }
            return Passcode(text)
        }
        // Reads one line only: a pipe may contain two passcodes.
        var bytes = try SecretInput.secret(asking: prompts, isInteractive: true)
        return Passcode(moving: &bytes)
    }
}
