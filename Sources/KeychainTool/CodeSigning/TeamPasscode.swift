// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel
import KeychainUserPresence

/// Reads the passcode of a team's keys or of the keychain.
///
/// The passcode comes from a file descriptor, the terminal or pinentry, never from an argument.
struct TeamPasscode {
    let arguments: ScannedArguments

    private static let limit = 1_025

    /// Reads the passcode; the user must enter a new passcode twice, except with `--passcode-fd`.
    func read(isNew: Bool) throws(Failure) -> SecretBytes {
        try read(
            asking: isNew
                ? ["passcode for the team's keys: ", "retype the passcode: "]
                : ["passcode of the team's keys: "]
        )
    }

    /// Reads a passcode from `--passcode-fd`, or prompts for it.
    ///
    /// With two prompts, both answers must be equal.
    func read(asking prompts: [String]) throws(Failure) -> SecretBytes {
        if let text = arguments.value("passcode-fd") { return try fromDescriptor(text) }
        if var answer = try SecretInput.ask(prompts, for: "passcode") {
            return try checked(SecretBytes(moving: &answer))
        }
        let first = try Self.asked(prompts[0])
        guard prompts.count > 1 else { return try checked(first) }
        let second = try Self.asked(prompts[1])
        guard first.isEqual(to: second) else { throw .message("the passcodes don't match", result: 1) }
        return try checked(first)
    }

    private func checked(_ passcode: consuming SecretBytes) throws(Failure) -> SecretBytes {
        guard passcode.count > 0 else { throw .message("no passcode was given", result: 1) }
        return passcode
    }

    private static func asked(_ prompt: String) throws(Failure) -> SecretBytes {
        let dialog = PinentryDialog(
            title: "security",
            description: "security asks for a passcode.",
            prompt: prompt
        )
        do throws(PinentryFailure) {
            var pinentry = try Pinentry.start(dialog, .current)
            return try pinentry.ask()
        } catch {
            switch error {
            case .cancelled, .timedOut: throw .message("no passcode was given", result: 1)
            default:
                throw .message(
                    "there is no terminal and no pinentry to ask for the passcode; --passcode-fd reads it",
                    result: 1
                )
            }
        }
    }

    /// Reads a line, but at most 1,025 bytes, from a file descriptor: one byte more than a passcode may have.
    private func fromDescriptor(_ text: String) throws(Failure) -> SecretBytes {
        guard let descriptor = Int32(text), descriptor >= 0 else {
            throw .usage("--passcode-fd requires the number of an open file descriptor")
        }
        var line: [UInt8] = []
        line.reserveCapacity(Self.limit)
        var byte: UInt8 = 0
        while line.count < Self.limit {
            let count = unsafe Glibc.read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw InputFile.failure("descriptor \(descriptor)", errno) }
            if count == 0 || byte == UInt8(ascii: "\n") { break }
            line.append(byte)
        }
        return try checked(SecretBytes(moving: &line))
    }
}
