// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc

/// A private file that gets its name only when it is complete.
///
/// If the process ends before that, no file is left, provided that the file system supports unnamed files.
final class NewFile {
    private let name: String
    private let descriptor: Int32
    /// The temporary name, on file systems without unnamed files.
    private var temporary: String?
    private var isCommitted = false

    init(_ name: String) throws(Failure) {
        self.name = name
        let directory = name.lastIndex(of: "/").map { String(name[...$0]) } ?? "./"
        let random = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        let unnamed = unsafe clinux_unnamed_file(directory)
        if unnamed >= 0 {
            descriptor = unnamed
            return
        }
        let path = "\(directory).security-\(random)"
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw InputFile.failure(name, errno) }
        temporary = path
    }

    deinit {
        close(descriptor)
        if let temporary, !isCommitted { unsafe _ = unlink(temporary) }
    }

    func write(_ bytes: [UInt8]) throws(Failure) {
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes[start...].withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                start += count
            } else if errno != EINTR {
                throw InputFile.failure(name, errno)
            }
        }
    }

    /// Makes the file durable and gives it its name, replacing a file that has it.
    func commit() throws(Failure) {
        guard fsync(descriptor) == 0 else { throw InputFile.failure(name, errno) }
        if temporary == nil {
            let directory = name.lastIndex(of: "/").map { String(name[...$0]) } ?? "./"
            let path = "\(directory).security-\(String(UInt64.random(in: 0...UInt64.max), radix: 16))"
            let source = "/proc/self/fd/\(descriptor)"
            guard unsafe linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
                throw InputFile.failure(name, errno)
            }
            temporary = path
        }
        guard let temporary, unsafe rename(temporary, name) == 0 else {
            throw InputFile.failure(name, errno)
        }
        isCommitted = true
    }
}
