// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel
import Synchronization

/// Whether the option `--no-prompt` forbids prompts.
private let forbidsPrompts = Atomic(false)

/// Prompts for a line on the terminal without echo; always restores the echo.
struct TerminalPrompt: ~Copyable {
    /// The kernel's maximum length of a terminal line in bytes; the kernel silently drops the rest.
    private static let mostOfLine = 4_095

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

    /// Forbids editors, and prompts by the terminal, pinentry and the daemon's agent.
    static func forbid() {
        forbidsPrompts.store(true, ordering: .relaxed)
        unsafe setenv("KEYCHAIN_PINENTRY", "", 1)
    }

    /// Whether ``forbid()`` was called.
    static var isForbidden: Bool { forbidsPrompts.load(ordering: .relaxed) }

    /// Fails with `interactionNotAllowed` after ``forbid()``.
    static func checkAllowed() throws(Failure) {
        guard isForbidden else { return }
        let detail = "--no-prompt forbids asking the user"
        throw .store(.interactionNotAllowed, step: "security", detail: detail)
    }

    /// Asks the user to type a word on standard input, which is a terminal.
    ///
    /// - Throws: `refusal` as a message if the user types anything else; `interactionNotAllowed` after ``forbid()``.
    static func confirm(typing word: String, orThrow refusal: String) throws(Failure) {
        try checkAllowed()
        Console.say("Type \(word) to continue: ")
        guard try StandardInput.nextLine() == Array(word.utf8) else { throw .message(refusal, result: 1) }
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

    /// Shows a prompt and returns the typed line without its newline; `nil` at the end of input or without a
    /// terminal.
    ///
    /// - Throws: `interactionNotAllowed` after ``forbid()``.
    func ask(_ prompt: String) throws(Failure) -> [UInt8]? {
        try Self.checkAllowed()
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
        TerminalSettings.change(of: input, { $0.c_lflag &= ~tcflag_t(ECHO | ECHONL) }, flushing: true) {
            mask in
            write(prompt)
            defer { write("\n") }
            return readLine(waitingUnder: &mask)
        }
    }

    private func readLine(waitingUnder mask: inout sigset_t) -> (line: [UInt8]?, signal: Int32) {
        var line: [UInt8] = []
        // A growing buffer would leave copies of its contents in freed memory.
        line.reserveCapacity(StandardInput.usualLine)
        while true {
            switch TerminalSettings.nextByte(from: input, &mask) {
            case .end: return (line.isEmpty ? nil : line, 0)
            case .signal(let signal): return (nil, signal)
            case .byte(UInt8(ascii: "\n")): return (line, 0)
            case .byte(let byte): line.append(byte)
            }
        }
    }

    private func write(_ text: String) {
        unsafe _ = text.withCString { unsafe Glibc.write(output, $0, text.utf8.count) }
    }
}
