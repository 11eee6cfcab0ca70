// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An open file of the system, closed when it goes.
package struct FileDescriptor: ~Copyable {
    package let number: CInt

    init(_ number: CInt) { self.number = number }

    deinit { close(number) }
}

/// What `stat` says of a file, as far as the store cares.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
