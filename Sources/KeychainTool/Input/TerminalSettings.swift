// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import Synchronization

/// The signal received while the settings of a terminal were changed; 0 for none.
private let caughtSignal = Atomic<Int32>(0)

/// Changes the settings of a terminal temporarily, and always restores them.
///
/// Meanwhile the signals that end or stop the process are blocked, except during the wait for input. A signal then
/// ends the wait, and the caller raises it again once the settings are restored.
enum TerminalSettings {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGALRM]

    enum Input {
        case byte(UInt8), signal(Int32)
        case end
    }

    /// Calls `body` with changed settings.
    ///
    /// - Parameters:
    ///   - terminal: The descriptor of the terminal.
    ///   - change: Changes the settings.
    ///   - flushing: Whether to discard what the user typed before the change.
    ///   - body: Reads with ``nextByte(from:_:)``; its argument is the signal mask to pass there.
    /// - Returns: The results of `body`; `nil` and 0 if the file is not a terminal.
    static func change<Value>(
        of terminal: Int32,
        _ change: (inout termios) -> Void,
        flushing: Bool,
        _ body: (inout sigset_t) -> (Value?, signal: Int32)
    ) -> (Value?, signal: Int32) {
        var blocked = sigset_t()
        unsafe sigemptyset(&blocked)
        for signal in signals { unsafe sigaddset(&blocked, signal) }
        var mask = sigset_t()
        unsafe sigprocmask(SIG_BLOCK, &blocked, &mask)
        defer { unsafe _ = sigprocmask(SIG_SETMASK, &mask, nil) }

        caughtSignal.store(0, ordering: .relaxed)
        let caught = signals.filter(Self.catch)
        // Restores the default actions, because Swift's runtime handles some signals by dumping memory, including
        // passwords.
        defer { for signal in caught { _ = Glibc.signal(signal, SIG_DFL) } }

        var settings = termios()
        guard unsafe tcgetattr(terminal, &settings) == 0 else { return (nil, 0) }
        var changed = settings
        change(&changed)
        let action = flushing ? TCSAFLUSH : TCSADRAIN
        unsafe tcsetattr(terminal, action, &changed)
        defer { unsafe _ = tcsetattr(terminal, action, &settings) }
        return body(&mask)
    }

    /// Waits for a byte or a signal.
    static func nextByte(from terminal: Int32, _ mask: inout sigset_t) -> Input {
        var byte: UInt8 = 0
        while true {
            if unsafe clinux_wait_for_input(terminal, &mask) < 0 {
                let signal = caughtSignal.load(ordering: .relaxed)
                guard errno == EINTR else { return .end }
                if signal != 0 { return .signal(signal) }
                continue
            }
            return unsafe read(terminal, &byte, 1) == 1 ? .byte(byte) : .end
        }
    }

    /// Catches a signal; returns `false` for an ignored signal, which stays ignored, as in background jobs.
    private static func `catch`(_ signal: Int32) -> Bool {
        var old = sigaction()
        unsafe sigaction(signal, nil, &old)
        if unsafe unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
        {
            return false
        }
        var new = sigaction()
        unsafe new.__sigaction_handler.sa_handler = { caughtSignal.store($0, ordering: .relaxed) }
        unsafe sigaction(signal, &new, nil)
        return true
    }
}
