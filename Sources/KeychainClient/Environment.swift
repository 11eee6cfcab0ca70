// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel

/// Reads environment variables; empty ones count as unset.
///
/// In a program with more rights than its user, such as a set-group-ID program, all variables count as unset: the
/// user who starts the program must not choose where the program stores its secrets.
enum Environment {
    static subscript(name: String) -> String? {
        guard let value = unsafe value(of: name) else { return nil }
        return unsafe String(cString: value)
    }

    private static func value(of name: String) -> UnsafeMutablePointer<CChar>? {
        guard clinux_is_secure_execution() == 0, let value = unsafe getenv(name), unsafe value.pointee != 0
        else { return nil }
        return unsafe value
    }

    /// Returns the directory of the embedded store: `KEYCHAIN_HOME`, or `keychain` in the user's data
    /// directory.
    ///
    /// - Throws: `notAvailable` with `noHomeDirectory`, `pathNotUTF8` or `pathNotAbsolute`.
    static func storeDirectory() throws(StatusError) -> String {
        if let directory = try path("KEYCHAIN_HOME") {
            // A relative path would select a different store in each working directory.
            guard directory.hasPrefix("/") else { throw StatusError(.notAvailable, .pathNotAbsolute) }
            return directory
        }
        // Ignore relative paths, as the XDG base directory specification says.
        if let data = try path("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/keychain" }
        // A missing home directory is an error; it is never created.
        guard let home = try homeOfUser(), home.hasPrefix("/"), unsafe access(home, F_OK) == 0
        else {
            throw StatusError(.notAvailable, .noHomeDirectory)
        }
        return home + "/.local/share/keychain"
    }

    /// Returns the user's runtime directory; `nil` if no variable names it and the system has not created it.
    ///
    /// Before its use, key caches check that the directory is private to the user and in memory.
    static func runtimeDirectory() -> String? {
        if let directory = Self["XDG_RUNTIME_DIR"], directory.hasPrefix("/") { return directory }
        // Programs started by cron or sudo lack the variable, although the directory may exist.
        let usual = "/run/user/\(geteuid())"
        return unsafe access(usual, F_OK) == 0 ? usual : nil
    }

    private static func homeOfUser() throws(StatusError) -> String? {
        if let home = try path("HOME") { return home }
        return try UserAccount.find(geteuid())?.home
    }

    /// Returns the directory that a variable names; `nil` if the variable is unset.
    private static func path(_ name: String) throws(StatusError) -> String? {
        guard let value = unsafe value(of: name) else { return nil }
        return try unsafe string(value)
    }

    /// Returns a path as a string; throws for invalid UTF-8, because a repaired string would be another path.
    private static func string(_ path: UnsafeMutablePointer<CChar>) throws(StatusError) -> String {
        guard let text = unsafe String(validatingCString: path) else {
            throw StatusError(.notAvailable, .pathNotUTF8)
        }
        return text
    }
}
