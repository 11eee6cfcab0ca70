// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel
import Synchronization

/// Which program asks, and where the person is.
package struct PinentrySettings: Sendable {
    /// A name or a path; `nil` forbids asking.
    package var program: String?
    /// Whether the environment names the program; it is then called even without a display and a terminal.
    package var isProgramNamed = false
    /// The path of a terminal.
    package var terminal: String?
    package var terminalType: String?
    package var display: String?
    package var waylandDisplay: String?
    package var locale: String?
    /// The seconds that the user may take for an answer.
    package var patience: Int
    /// The milliseconds from its start in which the program must be ready to ask, with texts that it can show.
    package var startLimit = 1_500
    /// The clock, which a test may set forward.
    package var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// Who answers in a test, without a program; told what stands in the dialog and the complaint below it.
    package var person:
        (@Sendable (PinentryDialog, _ complaint: String?) throws(PinentryFailure) -> SecretBytes)?

    package init(
        program: String?,
        terminal: String? = nil,
        display: String? = nil,
        patience: Int = 120
    ) {
        self.program = program
        self.terminal = terminal
        self.display = display
        self.patience = patience
    }

    /// What a test sets instead of the environment.
    @TaskLocal package static var override: Self?

    private static let ofProcess = Mutex<Self?>(nil)

    /// The same for the threads that have no override of their own; `nil` takes it back.
    package static func overrideInProcess(_ settings: Self?) { ofProcess.withLock { $0 = settings } }

    package static var current: Self { override ?? ofProcess.withLock { $0 } ?? ofEnvironment }

    /// Why the user cannot be asked; `nil` if a program is configured, or a terminal or display exists.
    package var obstacle: PinentryFailure? {
        if person != nil { return nil }
        if program == nil { return .forbidden }
        if isProgramNamed { return nil }
        return terminal == nil && display == nil && waylandDisplay == nil ? .noTerminal : nil
    }

    /// Whether there is a pinentry program, and a terminal or display for it.
    package var canAsk: Bool { obstacle == nil }
}

extension PinentrySettings {
    /// `KEYCHAIN_PINENTRY` names the program, and forbids asking where it is empty.
    private static var ofEnvironment: Self {
        let named = value(of: "KEYCHAIN_PINENTRY")
        let program = named ?? "pinentry"
        var settings = Self(program: program.isEmpty ? nil : program)
        settings.isProgramNamed = named != nil
        settings.terminal = terminalPath()
        settings.terminalType = value(of: "TERM")
        settings.display = nonempty("DISPLAY")
        settings.waylandDisplay = nonempty("WAYLAND_DISPLAY")
        settings.locale = nonempty("LC_ALL") ?? nonempty("LC_CTYPE") ?? nonempty("LANG")
        return settings
    }

    private static func value(of name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    private static func nonempty(_ name: String) -> String? {
        value(of: name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The terminal that `GPG_TTY` names, or that this process was started from.
    ///
    /// The variable often has the words *not a tty*, or a terminal of yesterday.
    private static func terminalPath() -> String? {
        if let named = nonempty("GPG_TTY"), isTerminal(named) { return named }
        for file in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            var name = [CChar](repeating: 0, count: 256)
            if unsafe ttyname_r(file, &name, name.count) == 0 {
                return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
        }
        return isTerminal("/dev/tty") ? "/dev/tty" : nil
    }

    private static func isTerminal(_ path: String) -> Bool {
        let file = unsafe open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        return isatty(file) == 1
    }
}
