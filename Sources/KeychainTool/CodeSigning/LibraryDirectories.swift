// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient

/// Checks who can replace the libraries of an executable.
///
/// The signature of an executable does not cover the libraries that it loads.
enum LibraryDirectories {
    /// Warns of libraries that programs of users other than root could replace.
    static func warn(of image: ExecutableImage) {
        if image.usesOrigin {
            Console.complain(
                "warning: the executable loads libraries relative to its own directory ($ORIGIN): programs that can write there can run code in it, and codesign install refuses it"
            )
        }
        for directory in writable(of: image) {
            Console.complain(
                "warning: users other than root can write the library directory \(BlobText.line(directory)), and so run code in it"
            )
        }
    }

    /// Returns the library directories, libraries and program loader that users other than root can replace.
    ///
    /// Paths that contain `$ORIGIN` are left out; ``ExecutableImage/usesOrigin`` reports them.
    static func writable(of image: ExecutableImage) -> [String] {
        let inFiles = image.libraries.filter { $0.contains("/") } + [image.interpreter].compactMap { $0 }
        return (image.libraryDirectories + inFiles).filter { path in
            !path.contains("$ORIGIN") && !path.contains("${ORIGIN}") && !isProtected(path)
        }
    }

    /// Whether only root can change or replace the file at a path; `false` for a relative path.
    ///
    /// A missing file counts as protected if the existing directories of its path are, because other users cannot
    /// create it. A symbolic link whose target is missing is treated like a missing file: the directory in which the
    /// target could be created is not checked.
    static func isProtected(_ path: String) -> Bool {
        guard path.hasPrefix("/") else { return false }
        var resolved = path
        if let real = unsafe realpath(path, nil) {
            unsafe resolved = String(cString: real)
            unsafe free(real)
        }
        var parent = "/"
        guard isRootsAlone(parent) else { return false }
        for component in resolved.split(separator: "/") {
            parent += (parent == "/" ? "" : "/") + component
            var file = clinux_file()
            if unsafe clinux_identify(AT_FDCWD, parent, 0, &file) != 0 { return errno == ENOENT }
            guard isRootsAlone(parent) else { return false }
        }
        return true
    }

    private static func isRootsAlone(_ path: String) -> Bool {
        var file = clinux_file()
        guard unsafe clinux_identify(AT_FDCWD, path, 0, &file) == 0 else { return false }
        return file.owner == 0 && file.mode & 0o022 == 0
    }
}
