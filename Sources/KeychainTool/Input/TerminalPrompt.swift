// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import Synchronization

/// The signal that came while the echo was off; 0 is none.
private let caughtSignal = Atomic<Int32>(0)

/// Asks for a line on the terminal without echo.
///
/// The echo is restored on every way out. While it is off, the signals that would end or stop the process are blocked
/// except during the wait for input; one that comes then ends the wait, and is raised again once the echo is back.
struct TerminalPrompt: ~Copyable {
    /// What the kernel keeps of a line at a terminal, in bytes; it drops what comes after without a word.
    private static let mostOfLine = 4_095

    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGALRM]

    private let input: Int32
    private let output: Int32
    private let isOwned: Bool

    /// Opens the controlling terminal; without one, standard input and standard error take its place.
    init() {
        let terminal = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        isOwned = terminal >= 0
        input = isOwned ? terminal : STDIN_FILENO
        output = isOwned ? terminal : STDERR_FILENO
    }

    deinit {
        if isOwned { close(input) }
    }

    /// Refuses a line of which a part may be missing.
    static func check(_ line: [UInt8]) throws(Failure) {
        guard line.count < mostOfLine else {
            throw .message(
                "a line at a terminal has at most \(mostOfLine - 1) bytes; give a longer one on standard input from a pipe or a file",
                result: 1
            )
        }
    }

    /// Returns the line without its newline, or `nil` at the end of input.
    func ask(_ prompt: String) throws(Failure) -> [UInt8]? {
        while true {
            let (line, signal) = askOnce(prompt)
            guard signal != 0 else {
                try Self.check(line ?? [])
                return line
            }
            // Returns here only after a stop, when the process continues.
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
        // Not what was there before: Swift's runtime answers some signals with a dump of memory, passwords included.
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
        // A buffer that grows leaves what it had behind.
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

    /// Returns whether the signal is caught: what is ignored stays so, as in the background of a shell script.
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
