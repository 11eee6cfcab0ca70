// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import FoundationEssentials

/// The kernel's keyring of the user, which every process of the user reaches, whatever its session.
///
/// Not the session's keyring: a program started by cron has another. Where the kernel or a container refuses the calls,
/// each of these says so at once and nothing is logged.
enum KernelKeyring {
    /// A key of arbitrary bytes that user space may read.
    private static let type = "user"
    private static let limit = 1_024
    /// Everything for whoever possesses the key; for the user view, read, write, search and set attributes.
    ///
    /// The user's part counts, because a session whose keyring has no link to the user's does not possess the key.
    private static let permissions: UInt32 = 0x3f2f_0000

    static var isAvailable: Bool { clinux_keyring_identifier(clinux_user_keyring()) > 0 }

    static func read(_ name: String) -> Data? {
        guard let key = find(name) else { return nil }
        var box = Data(count: limit)
        let count = unsafe box.withUnsafeMutableBytes { unsafe clinux_read_key(key, $0.baseAddress, limit) }
        guard (1...limit).contains(count) else { return nil }
        return box.prefix(count)
    }

    /// Answers whether the kernel has the key now, for at most so many seconds.
    static func put(_ box: Data, _ name: String, seconds: UInt32?) -> Bool {
        let added = unsafe box.withUnsafeBytes {
            unsafe clinux_add_key(type, name, $0.baseAddress, $0.count, clinux_user_keyring())
        }
        guard added > 0 else { return false }
        let key = Int32(truncatingIfNeeded: added)
        // Without its time-out a key must not stay; without its permissions it is of no use to others.
        let isLimited = clinux_set_key_timeout(key, seconds ?? 0) == 0
        guard isLimited, clinux_set_key_permissions(key, permissions) == 0 else {
            clinux_invalidate_key(key)
            return false
        }
        return true
    }

    /// Takes the key away so that nobody can read it from now on, not even who has its number.
    static func remove(_ name: String) {
        guard let key = find(name) else { return }
        clinux_invalidate_key(key)
    }

    private static func find(_ name: String) -> Int32? {
        let key = unsafe clinux_search_keyring(clinux_user_keyring(), type, name)
        return key > 0 ? Int32(truncatingIfNeeded: key) : nil
    }
}

/// What the kernel says of a file system.
enum KernelMemory {
    static func isInMemory(_ file: CInt) -> Bool { clinux_is_in_memory(file) != 0 }
}
