// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel

/// An open file descriptor, closed on deinitialization.
package struct FileDescriptor: ~Copyable, Sendable {
    package let number: CInt

    /// Takes ownership of a descriptor; a negative number means that no file is open.
    ///
    /// If the program has closed its standard streams, the kernel reuses their numbers, 0 to 2, and what the
    /// program prints would be written into this file. Such a descriptor is therefore replaced by a duplicate
    /// with a higher number.
    package init(_ number: CInt) {
        guard 0...2 ~= number else {
            self.number = number
            return
        }
        self.number = fcntl(number, F_DUPFD_CLOEXEC, 3)
        close(number)
    }

    deinit { if number >= 0 { close(number) } }

    /// Gives up ownership without closing the file, and returns the descriptor's number.
    consuming func leaked() -> CInt {
        let number = number
        discard self
        return number
    }
}

/// The device and inode numbers that identify a file.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    init(_ file: clinux_file) {
        device = file.device
        inode = file.inode
    }

    init(of file: borrowing FileDescriptor) throws(StatusError) {
        self.init(try file.status())
    }
}

extension FileDescriptor {
    /// Returns the identity, type, owner and mode of the file.
    borrowing func status() throws(StatusError) -> clinux_file {
        guard let status = FileStatus.of("", in: number) else { throw systemError() }
        return status
    }
}

/// Reads the status of files, without their timestamps.
///
/// Reading the timestamps would slow down the next `fdatasync` of the file.
enum FileStatus {
    /// Returns the status of a file; `nil` with `errno` set on failure.
    static func of(_ name: String, in directory: CInt, following: Bool = false) -> clinux_file? {
        var file = clinux_file()
        let flags = following ? 0 : AT_SYMLINK_NOFOLLOW
        return unsafe clinux_identify(directory, name, flags, &file) == 0 ? file : nil
    }
}

/// The identity of a directory, and the time of its last change.
///
/// Writing to a file in the directory does not change the stamp. While a settled stamp stays the same, each name in
/// the directory refers to the same file. Reading the stamp takes one system call; checking the files would take one
/// call for each file.
struct DirectoryStamp: Equatable, Sendable {
    private let directory: FileIdentity
    private let seconds: Int64
    private let nanoseconds: UInt32
    /// Whether any later change to the directory is certain to change its stamp.
    ///
    /// False if the last change is so recent that another change might get the same time, because of the resolution
    /// of the kernel's clock or of the file system.
    let isSettled: Bool

    init?(ofPath path: String) {
        var found = clinux_directory()
        guard unsafe clinux_identify_directory(path, &found) == 0 else { return nil }
        directory = FileIdentity(device: found.device, inode: found.inode)
        seconds = found.seconds
        nanoseconds = found.nanoseconds
        isSettled = found.is_settled != 0
    }

    static func == (left: Self, right: Self) -> Bool {
        left.directory == right.directory && left.seconds == right.seconds
            && left.nanoseconds == right.nanoseconds
    }
}

/// A monotonic clock in milliseconds, cheap to read, with a resolution of a few milliseconds.
package enum CoarseClock {
    package static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}

package func pause(milliseconds: UInt32) { usleep(milliseconds * 1_000) }
