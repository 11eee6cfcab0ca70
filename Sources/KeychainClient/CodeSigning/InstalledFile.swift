// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc

/// Files that only the administrator can replace.
package enum InstalledFile {
    /// Returns whether a file and all folders above it belong to root, and no other user can replace them.
    ///
    /// In a folder with the sticky bit, such as `/tmp`, other users cannot replace a file of root. The result is
    /// `false` if the file does not exist, and for a path that is relative, contains `/../`, or leads over a symbolic
    /// link.
    package static func isProtected(_ path: String) -> Bool {
        guard path.hasPrefix("/"), !path.contains("/../"), isProtected(file: "/") else { return false }
        // Check each folder before the files in it: the folder of a user could be on a file system that the user has
        // mounted, and that does not answer.
        var file = ""
        for part in path.split(separator: "/") {
            file += "/" + part
            guard isProtected(file: file) else { return false }
        }
        return true
    }

    /// Returns whether a file or folder belongs to root, and no other user can replace its contents.
    private static func isProtected(file path: String) -> Bool {
        var file = clinux_file()
        guard unsafe clinux_identify(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &file) == 0, file.owner == 0,
            file.mode & S_IFMT != S_IFLNK
        else { return false }
        return file.mode & 0o022 == 0 || file.mode & S_IFMT == S_IFDIR && file.mode & S_ISVTX != 0
    }

    /// Returns the path to which symbolic links lead from a path; `nil` if there is no such file or it is inaccessible.
    package static func resolved(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Returns whether an open file is the one at a path.
    ///
    /// In another mount namespace, the path may lead to another file.
    package static func isSame(_ file: CInt, _ path: String) -> Bool {
        var (open, named) = (clinux_file(), clinux_file())
        guard unsafe clinux_identify(file, "", 0, &open) == 0,
            unsafe clinux_identify(AT_FDCWD, path, 0, &named) == 0
        else { return false }
        return open.device == named.device && open.inode == named.inode
    }
}
