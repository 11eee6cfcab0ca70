// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import Synchronization

/// The signal received while the echo was off; 0 for none.
private let caughtSignal = Atomic<Int32>(0)

/// Prompts for a line on the terminal without echo.
///
/// The echo is always restored. While it is off, the signals that end or stop the process are blocked, except
/// during the wait for input. A signal then ends the wait, and is raised again once the echo is restored.
struct TerminalPrompt: ~Copyable {
    /// The kernel's maximum length of a terminal line in bytes; the kernel silently drops the rest.
    private static let mostOfLine = 4_095

    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGALRM]

    private let input: Int32
    private let output: Int32
    private let isOwned: Bool

    /// Opens the controlling terminal, or else standard input and standard error.
    init() {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        isOwned = terminal >= 0
        input = isOwned ? terminal : STDIN_FILENO
        output = isOwned ? terminal : STDERR_FILENO
    }

    deinit {
        if isOwned { close(input) }
    }

    /// Rejects a line that may be truncated.
    static func check(_ line: [UInt8]) throws(Failure) {
        guard line.count < mostOfLine else {
            throw .message(
                "a line at a terminal has at most \(mostOfLine - 1) bytes; give a longer one on standard input from a pipe or a file",
                result: 1
            )
        }
    }

    /// Shows a prompt and returns the typed line without its newline; `nil` at the end of input.
    func ask(_ prompt: String) throws(Failure) -> [UInt8]? {
        while true {
            let (line, signal) = askOnce(prompt)
            guard signal != 0 else {
                try Self.check(line ?? [])
                return line
            }
            // If the signal only stops the process, the loop prompts again when the process is resumed.
            raise(signal)
        }
    }

    private func askOnce(_ prompt: String) -> (line: [UInt8]?, signal: Int32) {
        var blocked = sigset_t()
        unsafe sigemptyset(&blocked)
        for signal in Self.signals { unsafe sigaddset(&blocked, signal) }
        var mask = sigset_t()
        unsafe sigprocmask(SIG_BLOCK, &blocked, &mask)
        defer { unsafe _ = sigprocmask(SIG_SETMASK, &mask, nil) }

        caughtSignal.store(0, ordering: .relaxed)
        let caught = Self.signals.filter(Self.catch)
        // Restores the default actions, because Swift's runtime handles some signals by dumping memory, including
        // passwords.
        defer { for signal in caught { _ = Glibc.signal(signal, SIG_DFL) } }

        var settings = termios()
        guard unsafe tcgetattr(input, &settings) == 0 else { return (nil, 0) }
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO | ECHONL)
        unsafe tcsetattr(input, TCSAFLUSH, &silent)
        defer { unsafe _ = tcsetattr(input, TCSAFLUSH, &settings) }

        write(prompt)
        defer { write("\n") }
        return readLine(waitingUnder: &mask)
    }

    private func readLine(waitingUnder mask: inout sigset_t) -> (line: [UInt8]?, signal: Int32) {
        var line: [UInt8] = []
        // A growing buffer would leave copies of its contents in freed memory.
        line.reserveCapacity(StandardInput.usualLine)
        var byte: UInt8 = 0
        while true {
            if unsafe clinux_wait_for_input(input, &mask) < 0 {
                let signal = caughtSignal.load(ordering: .relaxed)
                guard errno == EINTR, signal == 0 else { return (nil, signal) }
                continue
            }
            let count = unsafe read(input, &byte, 1)
            guard count == 1 else { return (line.isEmpty ? nil : line, 0) }
            if byte == UInt8(ascii: "\n") { return (line, 0) }
            line.append(byte)
        }
    }

    private func write(_ text: String) {
        unsafe _ = text.withCString { unsafe Glibc.write(output, $0, text.utf8.count) }
    }

    /// Returns whether the signal is caught; ignored signals stay ignored, as in background jobs.
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
