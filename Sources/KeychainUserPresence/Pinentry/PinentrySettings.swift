// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
package import KeychainModel
import Synchronization

/// The pinentry program, and the terminal or display on which it shows dialogs.
package struct PinentrySettings: Sendable {
    /// The program's name or path; `nil` forbids prompts.
    package var program: String?
    /// Whether the environment names the program, which then runs even without a terminal or display.
    package var isProgramNamed = false
    /// The terminal's device path.
    package var terminal: String?
    package var terminalType: String?
    package var display: String?
    package var waylandDisplay: String?
    package var locale: String?
    /// How long the user may take to answer, in seconds.
    package var timeout: Int
    /// The time limit from start until the dialog can be shown, in milliseconds.
    package var startLimit = 1_500
    /// The clock, which tests can advance.
    package var now: @Sendable () -> ContinuousClock.Instant = { .now }
    /// A closure that answers in place of the user in tests; `nil` otherwise.
    ///
    /// Its arguments are the text of the dialog and the error message below it.
    package var simulatedUser:
        (@Sendable (PinentryDialog, _ errorMessage: String?) throws(PinentryFailure) -> SecretBytes)?

    package init(
        program: String?,
        terminal: String? = nil,
        display: String? = nil,
        timeout: Int = 120
    ) {
        self.program = program
        self.terminal = terminal
        self.display = display
        self.timeout = timeout
    }

    /// Overrides the settings in tests.
    @TaskLocal package static var override: Self?

    private static let ofProcess = Mutex<Self?>(nil)

    /// Overrides the settings in threads and tasks that have no ``override``; `nil` ends this.
    package static func overrideInProcess(_ settings: Self?) { ofProcess.withLock { $0 = settings } }

    package static var current: Self { override ?? ofProcess.withLock { $0 } ?? ofEnvironment }

    /// Why no dialog can be shown; `nil` if the environment permits one.
    package var obstacle: PinentryFailure? {
        if simulatedUser != nil { return nil }
        if program == nil { return .forbidden }
        if isProgramNamed { return nil }
        return terminal == nil && display == nil && waylandDisplay == nil ? .noTerminal : nil
    }

    /// Whether nothing in these settings prevents a dialog; see ``obstacle``.
    package var canAsk: Bool { obstacle == nil }
}

extension PinentrySettings {
    /// The settings from the environment.
    ///
    /// `KEYCHAIN_PINENTRY` names the program; if it is empty, prompts are forbidden.
    private static var ofEnvironment: Self {
        // The user must not choose a program, by name or by PATH, that a set-group-ID program runs.
        let isSecure = clinux_is_secure_execution() != 0
        let named = isSecure ? nil : value(of: "KEYCHAIN_PINENTRY")
        let program = named ?? (isSecure ? "/usr/bin/pinentry" : "pinentry")
        var settings = Self(program: program.isEmpty ? nil : program)
        settings.isProgramNamed = named != nil
        settings.terminal = terminalPath()
        settings.terminalType = value(of: "TERM")
        settings.display = nonempty("DISPLAY")
        settings.waylandDisplay = nonempty("WAYLAND_DISPLAY")
        settings.locale = nonempty("LC_ALL") ?? nonempty("LC_CTYPE") ?? nonempty("LANG")
        return settings
    }

    /// Settings for the daemon's agent: they select `program`, and ignore `KEYCHAIN_PINENTRY`.
    package static func ofAgent(_ program: String) -> Self {
        var settings = ofEnvironment
        settings.program = program
        settings.isProgramNamed = false
        settings.startLimit = 10_000
        return settings
    }

    private static func value(of name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    private static func nonempty(_ name: String) -> String? {
        value(of: name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The terminal that `GPG_TTY` names, else that of a standard stream, else the controlling terminal.
    ///
    /// `GPG_TTY` is used only if it names a terminal: it is often outdated or contains *not a tty*.
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
