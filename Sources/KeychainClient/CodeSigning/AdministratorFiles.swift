// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainStore

/// The files with one suffix in a directory that only the administrator can write.
struct AdministratorFiles {
    let directory: String
    let suffix: String
    /// The user to whom the directory and the files must belong.
    let owner: UInt32
    let maximumByteCount: Int

    /// Calls `body` with the name and the contents of each file, or with the reason why the file is not used.
    ///
    /// If the directory cannot be used, `body` is called once, with the directory's path and the reason. A missing
    /// directory has no files. Of a file that is too large, `body` gets one byte more than the maximum, and must reject
    /// the file.
    func forEach(_ body: (String, Result<[UInt8], TeamFileDefect>) -> Void) {
        let opened = FileDescriptor(unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        let error = errno
        guard opened.number >= 0 else {
            if error != ENOENT { body(directory, .failure(.unreadable(error))) }
            return
        }
        guard isProtected(opened.number) else { return body(directory, .failure(.writableByOthers)) }
        for name in PrivateDirectory.names(in: opened.number).sorted() where name.hasSuffix(suffix) {
            body(name, Result { () throws(TeamFileDefect) in try read(name, in: opened.number) })
        }
    }

    private func read(_ name: String, in directory: CInt) throws(TeamFileDefect) -> [UInt8] {
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
        let file = FileDescriptor(unsafe openat(directory, name, flags))
        guard file.number >= 0 else {
            throw errno == ELOOP ? .notARegularFile : .unreadable(errno)
        }
        guard let status = Self.status(of: file.number) else { throw .unreadable(errno) }
        guard status.mode & S_IFMT == S_IFREG else { throw .notARegularFile }
        guard isProtected(file.number) else { throw .writableByOthers }
        guard let bytes = BoundedFile.read(file.number, atMost: maximumByteCount + 1) else {
            throw .unreadable(errno)
        }
        return bytes
    }

    private func isProtected(_ file: CInt) -> Bool {
        guard let status = Self.status(of: file) else { return false }
        return status.owner == owner && status.mode & 0o022 == 0
    }

    private static func status(of file: CInt) -> clinux_file? {
        var status = clinux_file()
        return unsafe clinux_identify(file, "", 0, &status) == 0 ? status : nil
    }
}
