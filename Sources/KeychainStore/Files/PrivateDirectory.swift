// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
package import KeychainModel

/// A private directory, such as that of a store; checks each file before this library or SQLite opens it.
///
/// The directory and every file in it must belong to this user, deny access to all other users, and not be a symbolic
/// link. A file or directory that does not fulfil these conditions is refused and left unchanged.
package struct PrivateDirectory: ~Copyable, Sendable {
    package let path: String
    private let descriptor: FileDescriptor
    private let identity: FileIdentity

    /// Opens a directory and checks it; with `creating`, creates it and its parents with mode 0700 if missing.
    ///
    /// - Throws: `notAvailable` with the reason; another status if a new directory cannot be synced.
    package init(path: String, creating: Bool) throws(StatusError) {
        let path = Self.withoutTrailingSlashes(path)
        var number = Self.open(path)
        if number < 0, errno == ENOENT, creating {
            try Self.makeDirectories(path)
            number = Self.open(path)
        }
        guard number >= 0 else { throw Self.refusal(of: path, error: errno) }
        let opened = FileDescriptor(number)
        let status = try opened.status()
        guard status.owner == geteuid() else { throw StatusError(.notAvailable, .directoryNotOwned) }
        guard status.mode & 0o077 == 0 else { throw StatusError(.notAvailable, .directoryNotPrivate) }
        self.path = Self.absolute(path)
        identity = FileIdentity(status)
        descriptor = opened
    }

    /// Returns the path without trailing slashes, which would make the kernel follow a symbolic link.
    private static func withoutTrailingSlashes(_ path: String) -> String {
        var path = path
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// Returns an absolute path, so that a later `chdir` does not affect it.
    private static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let current = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(current) }
        return unsafe String(cString: current) + "/" + path
    }

    private static func open(_ path: String) -> CInt {
        unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }

    private static func refusal(of path: String, error: CInt) -> StatusError {
        var status = stat()
        if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
            return StatusError(.notAvailable, .directoryIsLink)
        }
        return switch error {
        case ENOTDIR: StatusError(.notAvailable, .notADirectory)
        case ENOENT: StatusError(.notAvailable, .directoryMissing)
        // In these two cases the directory may exist, so it must not be reported as missing.
        case EACCES: StatusError(.notAvailable, .directoryClosed, code: error)
        case ENAMETOOLONG: StatusError(.notAvailable, .pathTooLong, code: error)
        default: StatusError(.notAvailable, .systemCall, code: error)
        }
    }

    private static func makeDirectories(_ path: String) throws(StatusError) {
        var built = path.hasPrefix("/") ? "" : "."
        for component in path.split(separator: "/") {
            let parent = built.isEmpty ? "/" : built
            built += "/" + component
            if unsafe mkdir(built, 0o700) == 0 {
                try synchronize(parent)
            } else if errno != EEXIST {
                // `mkdir` also fails with EROFS or EACCES for a directory that exists, if its parent is not
                // writable.
                let error = errno
                if unsafe access(built, F_OK) != 0 {
                    throw StatusError(.notAvailable, .directoryMissing, code: error)
                }
            }
        }
    }

    /// Syncs a directory to disk, so that new names in it are durable.
    private static func synchronize(_ path: String) throws(StatusError) {
        let directory = FileDescriptor(unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        // Directories above the home directory may be unreadable. They existed before and need no sync.
        guard directory.number >= 0 else { return }
        guard fsync(directory.number) == 0 || errno == EINVAL else { throw systemError() }
    }

    /// Returns the path of a file, with all symbolic links above it resolved.
    package func resolvedPath(of name: String) throws(StatusError) -> String {
        guard let resolved = unsafe realpath(path, nil) else { throw systemError() }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved) + "/" + name
    }

    /// Checks a file without opening it, and returns its identity; `nil` if it does not exist.
    ///
    /// - Throws: `notAvailable` if the file is a symbolic link or of another type, belongs to another user,
    ///   or is accessible to other users; the error of the system if the file's status cannot be read.
    package func inspect(_ name: String) throws(StatusError) -> FileIdentity? {
        guard let status = FileStatus.of(name, in: descriptor.number) else {
            if errno == ENOENT { return nil }
            throw systemError(name)
        }
        return try Self.checked(status, name)
    }

    /// Returns whether a file's path still refers to the file with the given identity.
    ///
    /// The result is false if the file or the directory was moved or replaced.
    package func leads(to name: String, being identity: FileIdentity) -> Bool {
        isInPlace && has(name, being: identity)
    }

    /// Whether the path still refers to this directory.
    var isInPlace: Bool {
        FileStatus.of(path, in: AT_FDCWD, following: true).map { FileIdentity($0) } == identity
    }

    /// The identity of the directory at the path, and when a name in it last changed; `nil` if unknown.
    var stamp: DirectoryStamp? { DirectoryStamp(ofPath: path) }

    /// Returns whether a name in this open directory still refers to the file with the given identity.
    ///
    /// This does not detect that the directory itself was moved.
    func has(_ name: String, being identity: FileIdentity) -> Bool {
        FileStatus.of(name, in: descriptor.number).map { FileIdentity($0) } == identity
    }

    private static func checked(_ status: clinux_file, _ name: String) throws(StatusError) -> FileIdentity {
        guard status.mode & S_IFMT != S_IFLNK else { throw refusal(.fileIsLink, of: name) }
        guard status.mode & S_IFMT == S_IFREG else { throw refusal(.notARegularFile, of: name) }
        guard status.owner == geteuid() else { throw refusal(.fileNotOwned, of: name) }
        guard status.mode & 0o077 == 0 else { throw refusal(.fileNotPrivate, of: name) }
        return FileIdentity(status)
    }

    private static func refusal(_ reason: Reason, of name: String) -> StatusError {
        StatusError(.notAvailable, reason, file: StoreFile(name: name))
    }

    /// Opens a file, then checks the opened file's type, owner and mode.
    package func open(_ name: String, flags: CInt) throws(StatusError) -> FileDescriptor {
        // Without O_NONBLOCK, opening a FIFO would wait for a writer.
        let flags = flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let file = FileDescriptor(unsafe openat(descriptor.number, name, flags, 0o600))
        guard file.number >= 0 else {
            throw errno == ELOOP ? Self.refusal(.fileIsLink, of: name) : systemError(name)
        }
        guard let status = FileStatus.of("", in: file.number) else { throw systemError(name) }
        _ = try Self.checked(status, name)
        return file
    }

    package func read(_ name: String, atMost limit: Int) throws(StatusError) -> [UInt8] {
        let file = try open(name, flags: O_RDONLY)
        var failed = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            while count < limit {
                let got = unsafe Glibc.read(
                    file.number,
                    buffer.baseAddress?.advanced(by: count),
                    limit - count
                )
                if got < 0, errno == EINTR { continue }
                failed = got < 0
                if got <= 0 { break }
                count += got
            }
        }
        guard !failed else { throw systemError(name) }
        return bytes
    }

    /// Creates a file durably, with all of its contents or not at all.
    ///
    /// It fails if a file with that name exists. The caller ensures that no other process creates the file meanwhile.
    package func create(_ name: String, contents: [UInt8]) throws(StatusError) {
        let temporary = name + ".new"
        remove(temporary)
        try write(contents, as: temporary, for: name) { (file) throws(StatusError) in
            guard fsync(file) == 0 else { throw systemError(name) }
            try rename(temporary, to: name)
        }
    }

    /// Writes a temporary file and calls `finish` to rename it; removes the file on failure.
    private func write(
        _ contents: [UInt8],
        as temporary: String,
        for name: String,
        then finish: (CInt) throws(StatusError) -> Void
    ) throws(StatusError) {
        do throws(StatusError) {
            let file = try open(temporary, flags: O_WRONLY | O_CREAT | O_EXCL)
            guard contents.isWritten(to: file.number) else { throw systemError(name) }
            try finish(file.number)
        } catch {
            remove(temporary)
            throw error
        }
    }

    /// Creates an empty file, which the caller fills and then renames.
    package func createEmpty(_ name: String) throws(StatusError) {
        _ = try inspect(name)
        _ = try open(name, flags: O_WRONLY | O_CREAT | O_EXCL)
    }

    /// Writes a small file atomically, replacing an existing one, without syncing it.
    ///
    /// It is used only in directories on a file system in memory, where syncing has no effect.
    ///
    /// - Throws: The errors of ``inspect(_:)`` if the existing file is not private to this user; that file
    ///   then stays unchanged.
    package func put(_ name: String, contents: [UInt8]) throws(StatusError) {
        _ = try inspect(name)
        // The name is unique, because two processes may write at the same time. The later rename takes effect.
        let temporary = "\(name).\(getpid()).\(UInt64.random(in: .min ... .max))"
        try write(contents, as: temporary, for: name) { _ throws(StatusError) in
            guard unsafe renameat(descriptor.number, temporary, descriptor.number, name) == 0 else {
                throw systemError(name)
            }
        }
    }

    func duplicate() throws(StatusError) -> FileDescriptor {
        let number = fcntl(descriptor.number, F_DUPFD_CLOEXEC, 3)
        guard number >= 0 else { throw systemError() }
        return FileDescriptor(number)
    }

    package func withDescriptor<Result>(_ body: (CInt) -> Result) -> Result { body(descriptor.number) }

    /// Renames a complete file durably; fails if a file with the new name exists.
    ///
    /// The caller holds the writer lock.
    package func rename(_ temporary: String, to name: String) throws(StatusError) {
        let number = descriptor.number
        guard try inspect(name) == nil else { throw StatusError(.duplicateKeychain, .storeExists) }
        guard unsafe renameat(number, temporary, number, name) == 0 else { throw systemError(name) }
        try synchronize()
    }

    /// Syncs the directory to disk, so that the names in it are durable.
    package func synchronize() throws(StatusError) {
        guard fsync(descriptor.number) == 0 else { throw systemError() }
    }

    /// Removes a file if it exists; ignores errors.
    package func remove(_ name: String) { _ = unsafe unlinkat(descriptor.number, name, 0) }

    /// Removes temporary files that a killed process left in ``put(_:contents:)``.
    ///
    /// No other process may call ``put(_:contents:)`` for the file at the same time.
    package func removeUnfinished(_ name: String) {
        for found in names() where found.hasPrefix(name + ".") { remove(found) }
    }

    package func names() -> [String] { Self.names(in: descriptor.number) }

    /// Returns the names of the files in an open directory; empty if it is unreadable.
    package static func names(in directory: CInt) -> [String] {
        let number = unsafe openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0, let start = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        guard let stream = unsafe fdopendir(number) else {
            close(number)
            return []
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            // Do not copy the entry, because the kernel's may be shorter than the type `dirent`.
            let text = unsafe UnsafeRawPointer(entry).advanced(by: start).assumingMemoryBound(to: CChar.self)
            unsafe names.append(String(cString: text))
        }
        return names
    }
}

extension [UInt8] {
    /// Writes all bytes to a file; returns false and sets `errno` on failure.
    fileprivate func isWritten(to file: CInt) -> Bool {
        unsafe withUnsafeBytes { buffer in
            var rest = unsafe buffer[...]
            while unsafe !rest.isEmpty {
                let part = unsafe UnsafeRawBufferPointer(rebasing: rest)
                let count = unsafe Glibc.write(file, part.baseAddress, part.count)
                if count < 0, errno == EINTR { continue }
                // On an almost full disk, one write may be partial and the next one fail.
                guard count > 0 else { return false }
                unsafe rest = rest.dropFirst(count)
            }
            return true
        }
    }
}

/// Returns the error for the current `errno`, naming a file.
package func systemError(_ name: String = "") -> StatusError {
    let error = errno
    let (status, reason): (Status, Reason) =
        switch error {
        case ENOSPC, EDQUOT: (.diskFull, .noSpace)
        case EROFS: (.readOnly, .readOnlyStore)
        case EACCES, EPERM: (.writePermission, .notPermitted)
        case ENOMEM: (.allocation, .systemCall)
        case EIO: (.inputOutput, .transferFailed)
        default: (.notAvailable, .systemCall)
        }
    return StatusError(status, reason, file: StoreFile(name: name), code: error)
}
