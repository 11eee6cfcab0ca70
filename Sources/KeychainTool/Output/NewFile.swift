// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc

/// A file that gets its name only when it is complete.
///
/// If the process ends before that, no file is left on a file system that supports unnamed files, unless the process
/// ends while it replaces an existing file.
final class NewFile {
    private let path: String
    /// The name of the file in messages.
    private let name: String
    private let descriptor: Int32
    /// The temporary name, on file systems without unnamed files; otherwise `nil`.
    private var temporary: String?

    init(_ path: String, mode: mode_t = 0o600, calling name: String) throws(Failure) {
        self.path = path
        self.name = name
        let unnamed = unsafe clinux_unnamed_file(Self.directory(of: path), mode)
        if unnamed >= 0 {
            descriptor = unnamed
            return
        }
        let temporary = Self.temporaryName(beside: path)
        descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw InputFile.failure(name, errno) }
        self.temporary = temporary
    }

    private static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    }

    private static func temporaryName(beside path: String) -> String {
        "\(directory(of: path)).security-\(String(UInt64.random(in: 0...UInt64.max), radix: 16))"
    }

    deinit {
        close(descriptor)
        if let temporary { unsafe _ = unlink(temporary) }
    }

    func write(_ bytes: [UInt8]) throws(Failure) {
        if let code = OutputFile.put(bytes, to: descriptor) { throw InputFile.failure(name, code) }
    }

    /// Makes the file durable and gives it its name; fails if another file has that name, unless `replacing`.
    func commit(replacing: Bool) throws(Failure) {
        guard fsync(descriptor) == 0 else { throw InputFile.failure(name, errno) }
        try setName(replacing: replacing)
        let directory = unsafe open(Self.directory(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }

    private func setName(replacing: Bool) throws(Failure) {
        if temporary == nil {
            // `linkat` cannot replace a file: to replace one, link a temporary name and rename it.
            let link = replacing ? Self.temporaryName(beside: path) : path
            let source = "/proc/self/fd/\(descriptor)"
            guard unsafe linkat(AT_FDCWD, source, AT_FDCWD, link, AT_SYMLINK_FOLLOW) == 0 else {
                throw InputFile.failure(name, errno)
            }
            guard replacing else { return }
            temporary = link
        }
        guard let temporary else { return }
        guard unsafe replacing ? rename(temporary, path) == 0 : Self.renameToNew(temporary, path) else {
            throw InputFile.failure(name, errno)
        }
        self.temporary = nil
    }

    /// Renames a file unless the new name exists.
    ///
    /// - Returns: `false` if the file was not renamed; `errno` then has the reason.
    private static func renameToNew(_ temporary: String, _ path: String) -> Bool {
        if unsafe clinux_rename_to_new(temporary, path) == 0 { return true }
        // Some file systems, such as NFS, do not support RENAME_NOREPLACE, but support hard links.
        guard errno == EINVAL || errno == ENOSYS, unsafe link(temporary, path) == 0 else { return false }
        unsafe _ = unlink(temporary)
        return true
    }
}
