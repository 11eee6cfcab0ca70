// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// An open file of the system, closed when it goes.
package struct FileDescriptor: ~Copyable {
    package let number: CInt

    init(_ number: CInt) { self.number = number }

    deinit { if number >= 0 { close(number) } }

    /// The number of the file, which stays open as long as the process lives.
    consuming func leaked() -> CInt {
        let number = number
        discard self
        return number
    }
}

/// What `stat` says of a file, as far as the store cares.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    init(of file: borrowing FileDescriptor) throws(KeychainError) {
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0 else { throw systemError() }
        self.init(status)
    }
}

/// A clock that costs next to nothing and moves every few milliseconds.
package enum CoarseClock {
    package static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
