// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import Synchronization

/// Reads passwords from the terminal or standard input.
enum SecretInput {
    /// Prompts for a new password and its repetition on the terminal, with three attempts at most.
    ///
    /// If standard input is not a terminal, the password is the rest of the input without a final newline, or in
    /// interactive mode the next line.
    static func newPassword(isInteractive: Bool) throws(Failure) -> [UInt8] {
        let prompts = ["password data for new item: ", "retype password for new item: "]
        return try password(asking: prompts, isInteractive: isInteractive)
    }

    /// Prompts for or reads a password; an empty one is an error.
    static func password(asking prompts: [String], isInteractive: Bool) throws(Failure) -> [UInt8] {
        let password = try secret(asking: prompts, isInteractive: isInteractive)
        guard !password.isEmpty else { throw empty("password") }
        return password
    }

    /// Reads a secret: with the prompts on a terminal, otherwise from standard input.
    static func secret(asking prompts: [String], isInteractive: Bool) throws(Failure) -> [UInt8] {
        if Console.isTerminal(STDIN_FILENO) {
            guard let secret = try ask(prompts, for: "password") else { throw notGiven("password") }
            return secret
        }
        return try fromStandardInput(isInteractive: isInteractive)
    }

    /// Reads a secret from standard input, which is not a terminal.
    static func fromStandardInput(
        isInteractive: Bool,
        for name: String = "password"
    ) throws(Failure) -> [UInt8] {
        if isInteractive {
            guard let line = try StandardInput.nextLine() else {
                throw .message("no \(name) on standard input", result: 1)
            }
            return line
        }
        var password = try StandardInput.rest()
        if password.last == UInt8(ascii: "\n") { password.removeLast() }
        // Empty input means that the program at the other end of the pipe failed or printed nothing.
        guard !password.isEmpty else { throw empty(name) }
        return password
    }

    /// Returns the error for an empty secret from a terminal or standard input.
    static func empty(_ name: String) -> Failure {
        let problem =
            Console.isTerminal(STDIN_FILENO)
            ? "no \(name) was given" : "no \(name) on standard input"
        return .message("\(problem); pass an empty \(name) as the argument ''", result: 1)
    }

    /// Prompts on the terminal, once for each prompt; `nil` without a terminal or at the end of input.
    ///
    /// If the answers differ, all prompts are repeated, with three attempts at most.
    static func ask(_ prompts: [String], for name: String) throws(Failure) -> [UInt8]? {
        let terminal = TerminalPrompt()
        for _ in 0..<3 {
            guard var first = try terminal.ask(prompts[0]) else { return nil }
            guard prompts.count > 1 else { return first }
            var second = try terminal.ask(prompts[1])
            defer { second?.wipe() }
            if first == second { return first }
            first.wipe()
            guard second != nil else { return nil }
            Console.say("\(name)s don't match\n")
        }
        throw notGiven(name)
    }

    static func notGiven(_ name: String) -> Failure { .message("no \(name) was given", result: 1) }
}

/// Whether reading standard input has failed, so that the next byte may be in the middle of a line.
private let inputHasFailed = Atomic(false)

/// Reads standard input without a buffer.
///
/// The tool can therefore read one line, and leave the bytes after that line to another program.
enum StandardInput {
    /// The initial capacity of a line in bytes, enough for every passcode.
    static let usualLine = 2_048

    /// The maximum number of bytes of the whole input; the store accepts fewer.
    private static let limit = 256 << 20

    /// The maximum number of bytes of a line, limited because each byte costs a system call.
    private static let lineLimit = 1 << 20

    /// Returns the next line without its newline; `nil` at the end.
    ///
    /// If a line cannot be read completely, this call and all later ones fail.
    static func nextLine() throws(Failure) -> [UInt8]? {
        guard !inputHasFailed.load(ordering: .relaxed) else { throw .said(result: 1) }
        do throws(Failure) {
            return try readLine()
        } catch {
            inputHasFailed.store(true, ordering: .relaxed)
            throw error
        }
    }

    private static func readLine() throws(Failure) -> [UInt8]? {
        var line: [UInt8] = []
        line.reserveCapacity(usualLine)
        var byte: [UInt8] = [0]
        while true {
            let isAtEnd = try fill(&byte) == 0
            guard !isAtEnd, byte[0] != UInt8(ascii: "\n") else {
                if Console.isTerminal(STDIN_FILENO) { try TerminalPrompt.check(line) }
                return isAtEnd && line.isEmpty ? nil : line
            }
            guard line.count < lineLimit else {
                throw .message("a line on standard input has more than 1 MiB", result: 1)
            }
            line.append(byte[0])
        }
    }

    /// Returns the rest of standard input.
    static func rest() throws(Failure) -> [UInt8] { try rest(limit: limit) }

    /// Returns the message of a program that calls the command as its helper: all of standard input.
    static func message() throws(Failure) -> [UInt8] { try rest(limit: 16 << 20) }

    private static func rest(limit: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try fill(&chunk)
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else {
                throw .message("standard input has more than \(limit >> 20) MiB", result: 1)
            }
        }
    }

    /// Reads the available bytes, waiting if there are none; 0 at the end.
    private static func fill(_ buffer: inout [UInt8]) throws(Failure) -> Int {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe read(STDIN_FILENO, $0.baseAddress, $0.count)
            }
            if count >= 0 { return count }
            // Another process that shares the pipe may have set O_NONBLOCK: wait for input then.
            if errno == EAGAIN, clinux_wait_for_input(STDIN_FILENO, nil) >= 0 { continue }
            guard errno == EINTR else {
                throw .message("standard input: \(unsafe String(cString: strerror(errno)))", result: 1)
            }
        }
    }
}

extension [UInt8] {
    /// Overwrites the bytes in place, if this is the only copy.
    mutating func wipe() {
        unsafe withUnsafeMutableBytes { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe explicit_bzero(start, buffer.count)
        }
    }
}
