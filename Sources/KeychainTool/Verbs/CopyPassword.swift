// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// `copy`: puts the password of one item on the clipboard, and clears the clipboard after a time-out.
///
/// With the time-out 0, the clipboard is not cleared.
struct CopyPassword {
    let arguments: ScannedArguments

    private static let usualTimeout: UInt32 = 45
    private static let longestTimeout: UInt32 = 86_400

    func run() throws(Failure) {
        let seconds = try timeout()
        guard !arguments.has("clear") else { return try clear(after: seconds) }
        let name = try arguments.itemName()
        let clipboard = try Clipboard.current()
        var password = try GetPassword.item(name, returning: .data, arguments).password
        defer { password.wipe() }
        try clipboard.copy(password)
        guard seconds > 0 else { return }
        do throws(Failure) {
            try startClearing(password, seconds)
        } catch {
            try clipboard.clear(ifEqualTo: password)
            throw error
        }
        guard Console.isTerminal(STDERR_FILENO) else { return }
        Console.say("the password is on the clipboard for \(seconds) s\n")
    }

    private func timeout() throws(Failure) -> UInt32 {
        guard let text = arguments.value("timeout") else { return Self.usualTimeout }
        guard let seconds = UInt32(text), seconds <= Self.longestTimeout else {
            throw .usage("--timeout takes a number of seconds from 0 to 86400")
        }
        return seconds
    }

    /// Starts this program again in the background, to clear the clipboard after the time-out.
    private func startClearing(_ password: [UInt8], _ seconds: UInt32) throws(Failure) {
        let program = ChildProgram("/proc/self/exe", ["copy", "--clear", "--timeout", String(seconds)])
        try program.startInBackground(input: MemoryFile(password))
    }

    /// Clears the clipboard if, after the time-out, it contains the bytes read from standard input.
    private func clear(after seconds: UInt32) throws(Failure) {
        guard arguments.operands.isEmpty else { throw .usage("--clear takes no item") }
        let clipboard = try Clipboard.current()
        var password = try StandardInput.rest()
        defer { password.wipe() }
        var rest = seconds
        while rest > 0 { rest = sleep(rest) }
        try clipboard.clear(ifEqualTo: password)
    }
}
