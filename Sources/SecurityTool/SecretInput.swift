// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where a password comes from that is not in the arguments.
enum SecretInput {
    /// The most that is read from standard input, in bytes; the store takes less.
    private static let limit = 256 << 20

    /// Asks for a new password twice on the terminal, three times at most.
    ///
    /// If standard input is not a terminal the password is what it holds: to its end without one final newline, or in
    /// interactive mode its next line.
    static func newPassword(isInteractive: Bool) throws(Failure) -> [UInt8] {
        if Console.isTerminal(STDIN_FILENO) { return try askTwice() }
        return try fromStandardInput(isInteractive: isInteractive)
    }

    /// Reads what standard input holds, which is not a terminal.
    static func fromStandardInput(isInteractive: Bool) throws(Failure) -> [UInt8] {
        if isInteractive {
            guard let line = StandardInput.nextLine() else {
                throw .message("no password on standard input", result: 1)
            }
            return line
        }
        var password = try StandardInput.rest(limit: limit)
        if password.last == UInt8(ascii: "\n") { password.removeLast() }
        return password
    }

    private static func askTwice() throws(Failure) -> [UInt8] {
        let terminal = TerminalPrompt()
        for _ in 0..<3 {
            guard let first = terminal.ask("password data for new item: "),
                let second = terminal.ask("retype password for new item: ")
            else { throw .message("no password was given", result: 1) }
            if first == second { return first }
            Console.say("passwords don't match\n")
        }
        throw .message("no password was given", result: 1)
    }
}

/// Standard input, read without a buffer of our own, so that a line and what follows it can be read by different hands.
enum StandardInput {
    /// Returns the bytes up to the next newline, without it; `nil` at the end of input.
    static func nextLine() -> [UInt8]? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = unsafe read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return line.isEmpty ? nil : line }
            if byte == UInt8(ascii: "\n") { return line }
            line.append(byte)
        }
    }

    /// Returns everything that is left.
    static func rest(limit: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes {
                unsafe read(STDIN_FILENO, $0.baseAddress, $0.count)
            }
            if count < 0 {
                guard errno == EINTR else {
                    throw .message("standard input: \(unsafe String(cString: strerror(errno)))", result: 1)
                }
                continue
            }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw .message("the password is too long", result: 1) }
        }
    }
}
