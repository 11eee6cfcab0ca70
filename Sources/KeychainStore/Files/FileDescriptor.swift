// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel

/// An open file of the system, closed when it goes.
package struct FileDescriptor: ~Copyable, Sendable {
    package let number: CInt

    /// Takes over an open file; a negative number stands for none.
    ///
    /// In a program that has closed its standard files, the next files get their numbers, and what it prints would go
    /// into them: such a file moves above them.
    init(_ number: CInt) {
        guard 0...2 ~= number else {
            self.number = number
            return
        }
        self.number = fcntl(number, F_DUPFD_CLOEXEC, 3)
        close(number)
    }

    deinit { if number >= 0 { close(number) } }

    /// The number of the file, which stays open as long as the process lives.
    consuming func leaked() -> CInt {
        let number = number
        discard self
        return number
    }
}

/// What tells a file from all others.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    init(_ file: clinux_file) {
        device = file.device
        inode = file.inode
    }

    init(of file: borrowing FileDescriptor) throws(StatusError) {
        self.init(try file.status())
    }
}

extension FileDescriptor {
    /// What the file is and who may use it.
    borrowing func status() throws(StatusError) -> clinux_file {
        guard let status = FileStatus.of("", in: number) else { throw systemError() }
        return status
    }
}

/// Looking at files; not at their times, which would make the next sync of a file slower.
enum FileStatus {
    /// The status of a file in a directory; `nil` with the system's error if there is none.
    static func of(_ name: String, in directory: CInt, following: Bool = false) -> clinux_file? {
        var file = clinux_file()
        let flags = following ? 0 : AT_SYMLINK_NOFOLLOW
        return unsafe clinux_identify(directory, name, flags, &file) == 0 ? file : nil
    }
}

/// Files by their names.
///
/// An array of two or three: the first use of a type of dictionary searches every protocol conformance of the program,
/// which takes a tenth of a short-lived command.
package struct NamedFiles: Sendable {
    private var entries: [(name: String, file: FileIdentity)] = []

    package init() {}

    package var count: Int { entries.count }

    package subscript(name: String) -> FileIdentity? {
        get { entries.first { $0.name == name }?.file }
        set {
            entries.removeAll { $0.name == name }
            if let newValue { entries.append((name, newValue)) }
        }
    }

    /// Whether every file satisfies a condition.
    package func allSatisfy(_ condition: (_ name: String, _ file: FileIdentity) -> Bool) -> Bool {
        entries.allSatisfy { condition($0.name, $0.file) }
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

/// Waits for what others will have done soon.
package func pause(milliseconds: UInt32) { usleep(milliseconds * 1_000) }
