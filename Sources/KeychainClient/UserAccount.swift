// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel

/// An entry of the system's user database.
package struct UserAccount: Sendable {
    package let name: String
    package let user: UInt32
    /// The primary group.
    package let group: UInt32
    package let home: String

    /// Returns the entry of a user; `nil` if the database has none.
    ///
    /// - Throws: `notAvailable` with `systemCall` if the database cannot be read; `notAvailable` with `pathNotUTF8` if
    ///   the home directory is not valid UTF-8.
    package static func find(_ user: UInt32) throws(StatusError) -> Self? {
        try unsafe find { entry, buffer, size, result in unsafe getpwuid_r(user, entry, buffer, size, result)
        }
    }

    /// Returns the entry of the user with a name; `nil` if the database has none.
    ///
    /// - Throws: The errors of ``find(_:)``.
    package static func find(named name: String) throws(StatusError) -> Self? {
        try unsafe find { entry, buffer, size, result in unsafe getpwnam_r(name, entry, buffer, size, result)
        }
    }

    private static func find(
        _ search: (
            UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
        ) -> CInt
    ) throws(StatusError) -> Self? {
        var strings = [CChar](repeating: 0, count: 1 << 16)
        return try unsafe strings.withUnsafeMutableBufferPointer { strings throws(StatusError) -> Self? in
            var (entry, result) = unsafe (passwd(), nil as UnsafeMutablePointer<passwd>?)
            guard let start = strings.baseAddress else { return nil }
            let code = unsafe search(&entry, start, strings.count, &result)
            // Some databases report a missing user by one of these errors.
            guard [0, ENOENT, ESRCH].contains(code) else {
                throw StatusError(.notAvailable, .systemCall, code: code)
            }
            guard unsafe result != nil, let name = unsafe entry.pw_name, let home = unsafe entry.pw_dir else {
                return nil
            }
            guard let path = unsafe String(validatingCString: home) else {
                throw StatusError(.notAvailable, .pathNotUTF8)
            }
            return unsafe Self(
                name: String(cString: name),
                user: entry.pw_uid,
                group: entry.pw_gid,
                home: path
            )
        }
    }
}

/// Splits paths as strings, without access to the file system.
extension String {
    /// The directory of the file that this absolute path names; empty for a file in the root directory.
    package var directoryOfPath: String {
        split(separator: "/").dropLast().reduce(into: "") { $0 += "/" + $1 }
    }

    /// The last component of this path, without trailing slashes; `nil` if the path has no component.
    package var lastComponentOfPath: String? {
        let slash = UInt8(ascii: "/")
        guard let last = utf8.lastIndex(where: { $0 != slash }) else { return nil }
        let path = self[...last]
        let start = path.utf8.lastIndex(of: slash).map { utf8.index(after: $0) } ?? startIndex
        return String(path[start...])
    }
}
