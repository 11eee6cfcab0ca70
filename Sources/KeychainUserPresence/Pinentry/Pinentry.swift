// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel

/// What the user reads when asked.
package struct PinentryDialog: Sendable {
    package var title: String
    /// Who asks, and why.
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

/// A dialog with the user, from the first prompt to the right answer, by a program that speaks pinentry's protocol.
///
/// Source: the manual of pinentry. Whatever the program does, it costs no more than the start limit, and the person's
/// patience for each prompt; it is gone when the value is.
package struct Pinentry: ~Copyable {
    private var connection: AssuanConnection
    private let settings: PinentrySettings
    private let dialog: PinentryDialog
    /// Whether the program has shown that its texts must be ASCII.
    private var isPlain = false
    /// The title of the button that agrees; `nil` for the program's own.
    private var buttonTitle: String?
    /// When the program must have come to ask the person for the first time; `nil` once it was let.
    private var start: Deadline?

    private static let longestAnswer = 2_048

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

    /// Starts the program and tells it everything.
    ///
    /// - Throws: `forbidden`, `noTerminal`, `noProgram` or `unavailable`, if the user cannot be asked.
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
            throw error.beforeAsking
        }
        return pinentry
    }

    private mutating func introduce(until deadline: Deadline) throws(PinentryFailure) {
        guard try connection.reply(until: deadline) == .ok else { throw .unavailable }
        for option in settings.options {
            // An option that is not known does no harm.
            _ = try tell(Assuan.line("OPTION", option), until: deadline)
        }
        try describe(until: deadline)
        _ = try tell(Assuan.line("SETTIMEOUT", String(settings.patience)), until: deadline)
    }

    private mutating func describe(until deadline: Deadline) throws(PinentryFailure) {
        try demand("SETTITLE", dialog.title, until: deadline)
        try demand("SETDESC", dialog.description, until: deadline)
        try demand("SETPROMPT", dialog.prompt, until: deadline)
        if let title = dialog.cancelTitle {
            _ = try tell(Assuan.line("SETCANCEL", shown(title)), until: deadline)
        }
    }

    private func shown(_ text: String) -> String {
        let text = Assuan.harmless(text)
        return isPlain ? Assuan.plain(text) : text
    }

    /// Asks, below a complaint about the answer before if there is one.
    package mutating func ask(complaining error: String? = nil) throws(PinentryFailure) -> SecretBytes {
        try converse("GETPIN", complaining: error)
    }

    /// Shows the dialog without a line to type in, until the person presses a button.
    ///
    /// - Parameter action: The title of the button beside the one that cancels; `nil` for none.
    /// - Throws: `cancelled` for the button that cancels.
    package mutating func confirm(_ action: String?) throws(PinentryFailure) {
        buttonTitle = action ?? dialog.cancelTitle ?? "Cancel"
        _ = try converse(action == nil ? "CONFIRM --one-button" : "CONFIRM", complaining: nil)
        if action == nil { throw .cancelled }
    }

    /// A program that cannot show the texts is told plainer ones, once.
    private mutating func converse(
        _ command: String,
        complaining error: String?
    ) throws(PinentryFailure) -> SecretBytes {
        // As long as nobody has answered, a refusal costs what is left of the start; whoever answered is there.
        let start = start ?? settings.startDeadline
        self.start = nil
        if let answer = try answer(to: command, complaining: error, until: start) { return answer }
        guard !isPlain, start.millisecondsLeft > 0 else { throw .unavailable }
        isPlain = true
        do throws(PinentryFailure) { try describe(until: start) } catch { throw error.beforeAsking }
        guard let answer = try answer(to: command, complaining: error, until: start) else {
            throw .unavailable
        }
        return answer
    }

    /// What the person answers; `nil` where the program cannot show the texts.
    private mutating func answer(
        to command: String,
        complaining error: String?,
        until start: Deadline
    ) throws(PinentryFailure) -> SecretBytes? {
        do throws(PinentryFailure) {
            if let error { try demand("SETERROR", error, until: start) }
            if let buttonTitle { try demand("SETOK", buttonTitle, until: start) }
        } catch {
            throw error.beforeAsking
        }
        // The program ends the wait by itself; one that does not gets a second more.
        let deadline = Deadline(milliseconds: settings.patience * 1_000 + 1_000, by: settings.now)
        try connection.show(Assuan.line(command), until: start)
        var answer = unsafe SecretBytes(count: 0) { _ in }
        while true {
            switch try connection.reply(until: deadline) {
            case .ok: return answer
            case .failure(let failure): throw failure
            case .unshowable: return nil
            case .other: continue
            case .data(let range):
                guard answer.count + range.count <= Self.longestAnswer else { throw .unavailable }
                answer = try connection.data(range, after: answer)
            }
        }
    }

    private mutating func demand(
        _ command: String,
        _ argument: String,
        until deadline: Deadline
    ) throws(PinentryFailure) {
        guard try tell(Assuan.line(command, shown(argument)), until: deadline) else { throw .unavailable }
    }

    /// Sends a command and says whether it was accepted.
    private mutating func tell(_ line: [UInt8], until deadline: Deadline) throws(PinentryFailure) -> Bool {
        try connection.send(line, until: deadline)
        switch try connection.reply(until: deadline) {
        case .ok: return true
        case .failure, .unshowable: return false
        case .data, .other: throw .unavailable
        }
    }
}

extension PinentryFailure {
    /// Whatever is wrong before anyone was asked, nobody can be.
    fileprivate var beforeAsking: Self { self == .stopped ? .stopped : .unavailable }
}

extension PinentrySettings {
    /// The start limit, from now on.
    fileprivate var startDeadline: Deadline { Deadline(milliseconds: startLimit, by: now) }

    /// The options by which the program finds the person.
    fileprivate var options: [String] {
        let pairs: [(name: String, value: String?)] = [
            ("ttyname", terminal), ("ttytype", terminal == nil ? nil : terminalType), ("lc-ctype", locale),
            ("lc-messages", locale),
        ]
        return ["no-grab"] + pairs.compactMap { pair in pair.value.map { "\(pair.name)=\($0)" } }
    }
}
