// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel

package struct PinentryDialog: Sendable {
    package var title: String
    /// Which program is asking, and why.
    package var description: String
    package var prompt: String
    package var cancelTitle: String?

    package init(title: String, description: String, prompt: String, cancelTitle: String? = nil) {
        self.title = title
        self.description = description
        self.prompt = prompt
        self.cancelTitle = cancelTitle
    }
}

/// A dialog with the user, shown by a pinentry program.
///
/// One dialog can prompt several times. The program must start within ``PinentrySettings/startLimit`` and
/// answer each prompt within ``PinentrySettings/timeout``. It exits when this value is destroyed.
///
/// Source: the manual of pinentry.
package struct Pinentry: ~Copyable {
    private var connection: AssuanConnection
    private let settings: PinentrySettings
    private let dialog: PinentryDialog
    /// Whether the program has reported that it supports only ASCII.
    private var usesASCII = false
    /// The title of the confirming button; `nil` for the program's default.
    private var buttonTitle: String?
    /// The deadline for the first prompt to appear; `nil` afterwards.
    private var start: Deadline?

    private static let maximumAnswerLength = 2_048

    private init(
        _ connection: consuming AssuanConnection,
        _ settings: PinentrySettings,
        _ dialog: PinentryDialog,
        _ start: Deadline
    ) {
        self.connection = connection
        self.settings = settings
        self.dialog = dialog
        self.start = start
    }

    /// Starts the program and describes the dialog to it.
    ///
    /// - Throws: `forbidden`, `noTerminal`, `noProgram` or `unavailable` if the user cannot be asked, and `stopped`
    ///   if the caller cancelled the dialog.
    package static func start(
        _ dialog: PinentryDialog,
        _ settings: PinentrySettings,
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(PinentryFailure) -> Self {
        if let obstacle = settings.obstacle { throw obstacle }
        guard let program = settings.program else { throw .forbidden }
        let start = settings.startDeadline
        let arguments = settings.display.map { ["--display", $0] } ?? []
        var pinentry = Self(
            try AssuanConnection(program: program, arguments: arguments, isCancelled: isCancelled),
            settings,
            dialog,
            start
        )
        do throws(PinentryFailure) {
            try pinentry.introduce(until: start)
        } catch {
            throw error.asStartFailure
        }
        return pinentry
    }

    private mutating func introduce(until deadline: Deadline) throws(PinentryFailure) {
        guard try connection.reply(until: deadline) == .ok else { throw .unavailable }
        for option in settings.options {
            // Ignore whether the program accepts the option: an unsupported one is harmless.
            _ = try tell(Assuan.line("OPTION", option), until: deadline)
        }
        try describe(until: deadline)
        _ = try tell(Assuan.line("SETTIMEOUT", String(settings.timeout)), until: deadline)
    }

    private mutating func describe(until deadline: Deadline) throws(PinentryFailure) {
        try require("SETTITLE", dialog.title, until: deadline)
        try require("SETDESC", dialog.description, until: deadline)
        try require("SETPROMPT", dialog.prompt, until: deadline)
        if let title = dialog.cancelTitle {
            _ = try tell(Assuan.line("SETCANCEL", shown(title)), until: deadline)
        }
    }

    private func shown(_ text: String) -> String {
        let text = Assuan.sanitized(text)
        return usesASCII ? Assuan.ascii(text) : text
    }

    /// Asks for a passcode, showing an error message for the previous answer if there is one.
    package mutating func ask(error: String? = nil) throws(PinentryFailure) -> SecretBytes {
        try converse("GETPIN", error: error)
    }

    /// Shows the dialog without an input field until the user presses a button.
    ///
    /// - Parameter action: The title of the button besides the cancel button; `nil` for none.
    /// - Throws: `cancelled` if the user pressed the cancel button.
    package mutating func confirm(_ action: String?) throws(PinentryFailure) {
        buttonTitle = action ?? dialog.cancelTitle ?? "Cancel"
        _ = try converse(action == nil ? "CONFIRM --one-button" : "CONFIRM", error: nil)
        if action == nil { throw .cancelled }
    }

    /// Prompts the user and returns the answer; retries once in ASCII if the program cannot show the text.
    private mutating func converse(
        _ command: String,
        error: String?
    ) throws(PinentryFailure) -> SecretBytes {
        // A retry of the first prompt must also appear within the start limit.
        let start = start ?? settings.startDeadline
        self.start = nil
        if let answer = try answer(to: command, error: error, until: start) { return answer }
        guard !usesASCII, start.millisecondsLeft > 0 else { throw .unavailable }
        usesASCII = true
        do throws(PinentryFailure) { try describe(until: start) } catch { throw error.asStartFailure }
        guard let answer = try answer(to: command, error: error, until: start) else {
            throw .unavailable
        }
        return answer
    }

    /// Shows a prompt and returns the user's answer; `nil` if pinentry cannot show the prompt's characters.
    private mutating func answer(
        to command: String,
        error: String?,
        until start: Deadline
    ) throws(PinentryFailure) -> SecretBytes? {
        do throws(PinentryFailure) {
            if let error { try require("SETERROR", error, until: start) }
            if let buttonTitle { try require("SETOK", buttonTitle, until: start) }
        } catch {
            throw error.asStartFailure
        }
        // The program ends the prompt itself at the timeout; wait one more second for its reply.
        let deadline = Deadline(milliseconds: settings.timeout * 1_000 + 1_000, by: settings.now)
        try connection.show(Assuan.line(command), until: start)
        var answer = unsafe SecretBytes(count: 0) { _ in }
        while true {
            switch try connection.reply(until: deadline) {
            case .ok: return answer
            case .failure(let failure): throw failure
            case .unsupportedCharacters: return nil
            case .other: continue
            case .data(let range):
                guard answer.count + range.count <= Self.maximumAnswerLength else { throw .unavailable }
                answer = try connection.data(range, after: answer)
            }
        }
    }

    private mutating func require(
        _ command: String,
        _ argument: String,
        until deadline: Deadline
    ) throws(PinentryFailure) {
        guard try tell(Assuan.line(command, shown(argument)), until: deadline) else { throw .unavailable }
    }

    /// Sends a command and returns whether the program accepted it.
    private mutating func tell(_ line: [UInt8], until deadline: Deadline) throws(PinentryFailure) -> Bool {
        try connection.send(line, until: deadline)
        switch try connection.reply(until: deadline) {
        case .ok: return true
        case .failure, .unsupportedCharacters: return false
        case .data, .other: throw .unavailable
        }
    }
}

extension PinentryFailure {
    /// The failure to report before a prompt is shown: `stopped`, or `unavailable` for any other.
    fileprivate var asStartFailure: Self { self == .stopped ? .stopped : .unavailable }
}

extension PinentrySettings {
    fileprivate var startDeadline: Deadline { Deadline(milliseconds: startLimit, by: now) }

    /// The options that tell the program which terminal to use.
    fileprivate var options: [String] {
        let pairs: [(name: String, value: String?)] = [
            ("ttyname", terminal), ("ttytype", terminal == nil ? nil : terminalType), ("lc-ctype", locale),
            ("lc-messages", locale),
        ]
        return ["no-grab"] + pairs.compactMap { pair in pair.value.map { "\(pair.name)=\($0)" } }
    }
}
