// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Writes data to standard output, and messages to standard error.
package enum Console {
    /// Writes data; fails unless all bytes are written.
    ///
    /// A truncated password could otherwise be mistaken for a complete one.
    static func write(_ bytes: [UInt8]) throws(Failure) {
        guard let code = OutputFile.put(bytes, to: STDOUT_FILENO) else { return }
        throw .message("standard output: \(unsafe String(cString: strerror(code)))", result: 1)
    }

    static func write(_ text: String) throws(Failure) {
        try write(Array(text.utf8))
    }

    /// Prints a message to standard error, unchanged.
    static func say(_ text: String) {
        _ = OutputFile.put(Array(text.utf8), to: STDERR_FILENO)
    }

    /// Prints an error message after the tool's name; escapes control characters, which arguments can contain.
    static func complain(_ text: String) {
        say("security: \(BlobText.line(text))\n")
    }

    /// Whether to use colours: on a terminal that shows them, unless `NO_COLOR` or `CLICOLOR=0` forbids them.
    ///
    /// `CLICOLOR_FORCE` also allows colours without a terminal. Sources: https://no-color.org,
    /// https://bixense.com/clicolors
    static let isColoured = isColoured(onTerminal: isTerminal(STDOUT_FILENO)) { Variable.string($0) }

    /// Whether to use colours, given the values of environment variables; an unset variable is an empty string.
    package static func isColoured(onTerminal: Bool, _ variable: (String) -> String) -> Bool {
        guard variable("NO_COLOR").isEmpty else { return false }
        if !["", "0"].contains(variable("CLICOLOR_FORCE")) { return true }
        return onTerminal && variable("CLICOLOR") != "0" && !["", "dumb"].contains(variable("TERM"))
    }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }
}
