// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainStore

package struct OpenExecutable: ~Copyable {
    private let file: FileDescriptor

    /// Opens a file for reading.
    ///
    /// - Throws: `unreadable` with the `errno`, or `notARegularFile`.
    package init(_ path: String) throws(ExecutableDefect) {
        // Without O_NONBLOCK, opening a FIFO would wait for a writer.
        file = FileDescriptor(unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK))
        guard file.number >= 0 else { throw .unreadable(errno) }
        _ = try ExecutableStatus(of: file.number)
    }

    package var descriptor: CInt { file.number }

    package func digest() throws(ExecutableDefect) -> ExecutableDigest {
        try ExecutableDigest(of: file.number)
    }

    /// The libraries that the file loads; `nil` if it is not an ELF executable.
    package var image: ExecutableImage? { ExecutableImage(of: file.number) }

    /// Whether the file has Linux capabilities, which would add to the rights of the team's group.
    package var hasCapabilities: Bool {
        unsafe fgetxattr(file.number, "security.capability", nil, 0) > 0
    }
}
