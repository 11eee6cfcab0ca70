// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Writes data to standard output, and messages to standard error.
enum Console {
    /// Writes data; fails unless all bytes are written.
    ///
    /// A truncated password could otherwise be mistaken for a complete one.
    static func write(_ bytes: [UInt8]) throws(Failure) {
        guard let code = put(bytes, to: STDOUT_FILENO) else { return }
        throw .message("standard output: \(unsafe String(cString: strerror(code)))", result: 1)
    }

    static func write(_ text: String) throws(Failure) {
        try write(Array(text.utf8))
    }

    /// Prints a message to standard error, unchanged.
    static func say(_ text: String) {
        _ = put(Array(text.utf8), to: STDERR_FILENO)
    }

    /// Prints an error message after the tool's name.
    static func complain(_ text: String) {
        say("security: \(text)\n")
    }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Writes all bytes; returns the `errno`, or `nil` on success.
    private static func put(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes[start...].withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                start += count
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}
