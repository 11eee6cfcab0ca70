// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The standard streams: data goes to the output, everything else to the error output.
enum Console {
    /// Writes data; fails if not everything could be written, so that nobody takes half of a password for the whole.
    static func write(_ bytes: [UInt8]) throws(Failure) {
        guard let code = put(bytes, to: STDOUT_FILENO) else { return }
        throw .message("standard output: \(unsafe String(cString: strerror(code)))", result: 1)
    }

    static func write(_ text: String) throws(Failure) {
        try write(Array(text.utf8))
    }

    /// Says something to the person at the terminal, as it is.
    static func say(_ text: String) {
        _ = put(Array(text.utf8), to: STDERR_FILENO)
    }

    /// Complains, after the tool's name.
    static func complain(_ text: String) {
        say("security: \(text)\n")
    }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Returns the number of the system's error, or `nil` if all is written.
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
