// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Writes data to standard output, and messages to standard error.
enum Console {
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

    /// Whether standard output is a terminal that shows colours, and the user has not set `NO_COLOR`.
    ///
    /// Source: https://no-color.org
    static let isColoured =
        isTerminal(STDOUT_FILENO) && Variable.string("NO_COLOR").isEmpty
        && !["", "dumb"].contains(Variable.string("TERM"))

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }
}
