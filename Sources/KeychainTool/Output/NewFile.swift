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
        let unnamed = unsafe clinux_unnamed_file(Self.directory(of: name))
        if unnamed >= 0 {
            descriptor = unnamed
            return
        }
        let path = Self.temporaryName(beside: name)
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw InputFile.failure(name, errno) }
        temporary = path
    }

    private static func directory(of name: String) -> String {
        name.lastIndex(of: "/").map { String(name[...$0]) } ?? "./"
    }

    private static func temporaryName(beside name: String) -> String {
        "\(directory(of: name)).security-\(String(UInt64.random(in: 0...UInt64.max), radix: 16))"
    }

    deinit {
        close(descriptor)
        if let temporary, !isCommitted { unsafe _ = unlink(temporary) }
    }

    func write(_ bytes: [UInt8]) throws(Failure) {
        if let code = OutputFile.put(bytes, to: descriptor) { throw InputFile.failure(name, code) }
    }

    /// Makes the file durable and gives it its name, replacing a file that has it.
    func commit() throws(Failure) {
        guard fsync(descriptor) == 0 else { throw InputFile.failure(name, errno) }
        if temporary == nil {
            let path = Self.temporaryName(beside: name)
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
