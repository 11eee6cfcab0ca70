// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc

/// The kernel's user keyring, shared by all of the user's processes in all sessions.
///
/// A session keyring would not suffice: a program started by cron, for example, has a different one. If the kernel
/// or a container forbids the system calls, every function fails immediately.
enum KernelKeyring {
    /// A key type with arbitrary bytes that user space can read.
    private static let type = "user"
    /// All permissions for the possessor of the key; view, read, write, search and set attributes for the user.
    ///
    /// The user's permissions are needed because a process whose session keyring has no link to the user
    /// keyring does not possess the key.
    private static let permissions: UInt32 = 0x3f2f_0000

    static var isAvailable: Bool { clinux_keyring_identifier(clinux_user_keyring()) > 0 }

    static func read(_ name: String) -> [UInt8]? { find(name).flatMap { content(of: $0) } }

    /// Adds or replaces a key, and reads it back.
    ///
    /// The kernel removes the key after `seconds`; with `nil`, it does not expire.
    ///
    /// - Returns: `kept` if reading the key by its name has returned the same bytes.
    static func put(_ bytes: [UInt8], _ name: String, seconds: UInt32?) -> PutOutcome {
        let added = unsafe bytes.withUnsafeBytes {
            unsafe clinux_add_key(type, name, $0.baseAddress, $0.count, clinux_user_keyring())
        }
        guard added > 0 else { return errno == EDQUOT ? .full : .refused }
        let key = Int32(truncatingIfNeeded: added)
        // If a step fails, remove the key: without the timeout, it would stay too long; without the
        // permissions, some of the user's processes could not read it.
        guard clinux_set_key_timeout(key, seconds ?? 0) == 0,
            clinux_set_key_permissions(key, permissions) == 0, read(name) == bytes
        else {
            remove(key)
            return .refused
        }
        return .kept
    }

    /// Revokes and removes a key, so that processes that know its ID cannot read it either.
    static func remove(_ name: String) {
        if let key = find(name) { remove(key) }
    }

    /// Removes the keys that the closure selects by name and content.
    ///
    /// - Returns: The number of removed keys; 0 if the keyring cannot be read.
    static func remove(where isChosen: (_ name: String, _ content: [UInt8]) -> Bool) -> Int {
        let chosen = keys().filter { key in
            guard let name = name(of: key), let content = content(of: key) else { return false }
            return isChosen(name, content)
        }
        for key in chosen { remove(key) }
        return chosen.count
    }

    private static func remove(_ key: Int32) {
        // Revoking makes the key unreadable and frees its quota; unlinking lets the kernel delete the key.
        clinux_revoke_key(key)
        clinux_unlink_key(key, clinux_user_keyring())
    }

    private static func find(_ name: String) -> Int32? {
        let key = unsafe clinux_search_keyring(clinux_user_keyring(), type, name)
        return key > 0 ? Int32(truncatingIfNeeded: key) : nil
    }

    private static func content(of key: Int32) -> [UInt8]? {
        var content = [UInt8](repeating: 0, count: KeyCacheEntry.longest)
        let count = unsafe content.withUnsafeMutableBytes {
            unsafe clinux_read_key(key, $0.baseAddress, $0.count)
        }
        guard (1...KeyCacheEntry.longest).contains(count) else { return nil }
        return Array(content.prefix(count))
    }

    private static func keys() -> [Int32] {
        var keys: [Int32] = []
        // Other processes may add keys between querying the size and reading.
        var size = clinux_read_key(clinux_user_keyring(), nil, 0)
        while size > keys.count * MemoryLayout<Int32>.size {
            keys = [Int32](repeating: 0, count: size / MemoryLayout<Int32>.size + 16)
            size = unsafe keys.withUnsafeMutableBytes {
                unsafe clinux_read_key(clinux_user_keyring(), $0.baseAddress, $0.count)
            }
        }
        return Array(keys.prefix(max(size, 0) / MemoryLayout<Int32>.size))
    }

    /// Returns the description of a key of type `user`; the kernel reports
    /// `type;uid;gid;permissions;description`.
    private static func name(of key: Int32) -> String? {
        var text = [UInt8](repeating: 0, count: 256)
        let count = unsafe text.withUnsafeMutableBytes {
            unsafe clinux_describe_key(key, $0.baseAddress, $0.count)
        }
        guard (1...text.count).contains(count) else { return nil }
        let parts = text.prefix(count - 1).split(separator: UInt8(ascii: ";"), maxSplits: 4)
        guard parts.count == 5, parts[0].elementsEqual(type.utf8) else { return nil }
        return String(decoding: parts[4], as: UTF8.self)
    }
}

enum KernelMemory {
    static func isInMemory(_ file: CInt) -> Bool { clinux_is_in_memory(file) != 0 }
}
