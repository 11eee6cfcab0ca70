// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel

/// The user's default keychain and search list.
///
/// `default-keychain -s` and `list-keychains -s` set them.
///
/// Both are stored as lines of a private file beside the login keychain. Only this command reads that file: other
/// programs use the keychain that their environment selects.
struct SearchList: Equatable {
    /// The directory of the default keychain; `nil` for the login keychain.
    var defaultKeychain: String?
    /// The directories of the search list, in order; empty if only the default keychain is searched.
    var keychains: [String] = []

    private static let step = "SecKeychainCopySearchList"
    private static let (defaultWord, searchWord) = ("default ", "search ")
    private static let largestSize = 1 << 16

    func searched(_ login: String) -> [String] {
        keychains.isEmpty ? [defaultKeychain ?? login] : keychains
    }

    private static func path(_ login: String) -> String { login + ".search-list" }

    /// Reads the search list beside a login keychain; empty if there is no file.
    ///
    /// A file that belongs to another user or is open to others is rejected: they could redirect passwords into their
    /// keychains. A file that cannot be opened or parsed is an error, because passwords would otherwise go to the login
    /// keychain.
    static func load(_ login: String) throws(Failure) -> Self {
        let name = path(login)
        let descriptor = unsafe open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            switch errno {
            // If the name is too long, the file cannot exist.
            case ENOENT, ENOTDIR, ENAMETOOLONG: return Self()
            case ELOOP: throw refusal(name, "it is a symbolic link; remove it")
            case let code:
                throw refusal(name, "it cannot be opened: \(unsafe String(cString: strerror(code)))")
            }
        }
        defer { close(descriptor) }
        guard clinux_is_private_file(descriptor) != 0 else {
            throw refusal(
                name,
                "it must belong to this user and be closed to others; run chmod 600 on it, or remove it"
            )
        }
        var bytes = [UInt8](repeating: 0, count: largestSize + 1)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0, count <= largestSize, let text = String(validating: bytes[..<count], as: UTF8.self),
            let list = Self(text)
        else { throw refusal(name, "it cannot be read; remove it, and set the list again") }
        return list
    }

    private init?(_ text: String) {
        for line in text.split(separator: "\n") {
            if line.hasPrefix(Self.defaultWord + "/") {
                defaultKeychain = String(line.dropFirst(Self.defaultWord.count))
            } else if line.hasPrefix(Self.searchWord + "/") {
                keychains.append(String(line.dropFirst(Self.searchWord.count)))
            } else {
                return nil
            }
        }
    }

    init() {}

    /// Applies `change` to the stored list, under a lock.
    ///
    /// `change` is first called without the lock. If it changes nothing, it is not called again.
    static func change(_ login: String, _ change: (inout Self) -> Void) throws(Failure) {
        let old = try load(login)
        var new = old
        change(&new)
        guard new != old else { return }
        let lock = try lock(login)
        defer { close(lock) }
        var list = try load(login)
        change(&list)
        try list.save(login)
    }

    /// Opens and locks the file beside the list; closing it releases the lock.
    private static func lock(_ login: String) throws(Failure) -> Int32 {
        makeDirectories(above: login)
        let name = path(login) + ".lock"
        let descriptor = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw InputFile.failure(name, errno) }
        while flock(descriptor, LOCK_EX) != 0 {
            let code = errno
            guard code == EINTR else {
                close(descriptor)
                throw InputFile.failure(name, code)
            }
        }
        return descriptor
    }

    /// Creates the parent directories; if this fails, opening the file reports the error.
    private static func makeDirectories(above path: String) {
        for index in path.indices where path[index] == "/" {
            unsafe mkdir(String(path[..<index]), 0o700)
        }
    }

    /// Writes the list atomically; removes the file if the list is empty.
    private func save(_ login: String) throws(Failure) {
        let name = Self.path(login)
        guard self != Self() else {
            guard unsafe unlink(name) == 0 || errno == ENOENT else { throw InputFile.failure(name, errno) }
            return
        }
        let directories = (defaultKeychain.map { [$0] } ?? []) + keychains
        guard !directories.contains(where: { $0.unicodeScalars.contains(where: Keychains.isControl) }) else {
            throw Self.refusal(name, "it takes no directory with a control character in its path")
        }
        let lines =
            (defaultKeychain.map { [Self.defaultWord + $0] } ?? []) + keychains.map { Self.searchWord + $0 }
        let text = lines.map { $0 + "\n" }.joined()
        try OutputFile.replace(name, by: Array(text.utf8), mode: 0o600, calling: name)
    }

    static func remove(_ directory: String) throws(Failure) {
        try change(try Keychains.login(step)) { list in
            if list.defaultKeychain == directory { list.defaultKeychain = nil }
            list.keychains.removeAll { $0 == directory }
        }
    }

    private static func refusal(_ name: String, _ text: String) -> Failure {
        .store(.notAvailable, step: step, detail: "\(BlobText.line(name)): \(text)")
    }
}
