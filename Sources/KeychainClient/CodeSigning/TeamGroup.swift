// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainStore

/// The system group of a team, under which only the team's set-group-ID executables run.
package enum TeamGroup {
    /// Returns the ID of a group, after checking that no user is in it or can join it with `newgrp`.
    ///
    /// A member of the group, or a user who knows its password, could start any program with that group.
    ///
    /// Without `checksShadow`, the group's entry in `/etc/gshadow`, which only root can read, is not checked.
    package static func number(
        of name: String,
        checksShadow: Bool = true
    ) throws(TeamGroupDefect) -> UInt32 {
        guard let entry = unsafe getgrnam(name) else { throw .missing }
        let number = unsafe entry.pointee.gr_gid
        guard number != 0 else { throw .administrators }
        if let members = unsafe entry.pointee.gr_mem, unsafe members.pointee != nil { throw .hasMembers }
        if let password = unsafe entry.pointee.gr_passwd, unsafe String(cString: password) != "x",
            unsafe isPassword(Array(String(cString: password).utf8)[...])
        {
            throw .hasPassword
        }
        if isPrimary(number) { throw .isPrimary }
        if checksShadow { try checkShadow(name) }
        return number
    }

    /// Returns whether no user is in a group or can join it; requires the right to read `/etc/gshadow`.
    package static func isClosed(_ number: UInt32) -> Bool {
        guard let entry = unsafe getgrgid(number) else { return false }
        return (try? Self.number(of: unsafe String(cString: entry.pointee.gr_name))) == number
    }

    /// Returns whether the group is a user's primary group.
    private static func isPrimary(_ number: gid_t) -> Bool {
        setpwent()
        defer { endpwent() }
        while let user = unsafe getpwent() {
            if unsafe user.pointee.pw_gid == number { return true }
        }
        return false
    }

    /// Checks the entry of `/etc/gshadow`: `name:password:administrators:members`.
    private static func checkShadow(_ name: String) throws(TeamGroupDefect) {
        let file = FileDescriptor(unsafe open("/etc/gshadow", O_RDONLY | O_CLOEXEC))
        guard file.number >= 0 else {
            if errno == ENOENT { return }
            throw .unreadable(errno)
        }
        guard let bytes = BoundedFile.read(file.number, atMost: 1 << 24) else { throw .unreadable(EIO) }
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard fields.count == 4, fields[0].elementsEqual(name.utf8) else { continue }
            if isPassword(fields[1]) { throw .hasPassword }
            guard fields[2].isEmpty, fields[3].isEmpty else { throw .hasMembers }
        }
    }

    /// Returns whether a field contains a usable password; `!` and `*` start a locked one.
    private static func isPassword(_ field: ArraySlice<UInt8>) -> Bool {
        guard let first = field.first else { return false }
        return first != UInt8(ascii: "!") && first != UInt8(ascii: "*")
    }
}

/// Why a group does not identify a team's executables.
package enum TeamGroupDefect: Error, Hashable, Sendable {
    case missing
    /// The group of root.
    case administrators
    case hasMembers
    case hasPassword
    case isPrimary
    /// `/etc/gshadow` cannot be read.
    case unreadable(CInt)

    /// A clause that completes a sentence about the group.
    package var text: String {
        switch self {
        case .missing: "it does not exist; groupadd --system makes it"
        case .administrators: "it is root's"
        case .hasMembers: "it has members, who could start any program with it"
        case .hasPassword: "it has a password, with which any program could get it"
        case .isPrimary: "it is the primary group of a user"
        case .unreadable(let code): "/etc/gshadow: \(unsafe String(cString: strerror(code)))"
        }
    }
}
