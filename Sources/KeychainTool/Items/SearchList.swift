// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainServices

/// The user's default keychain and search list.
///
/// `default-keychain -s` and `list-keychains -s` set them.
///
/// They are lines of a private file beside the login keychain. Only this command reads it: other programs use the
/// keychain that their environment names.
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
    /// Refuses a file that other users can write: it could direct passwords into a keychain of theirs.
    static func load(_ login: String) throws(Failure) -> Self {
        let name = path(login)
        let descriptor = unsafe open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            guard errno == ELOOP else { return Self() }
            throw refusal(name, "it is a symbolic link; remove it")
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid(), status.st_mode & 0o077 == 0
        else {
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

    /// Writes the list atomically; removes the file if the list is empty.
    func save(_ login: String) throws(Failure) {
        let name = Self.path(login)
        guard self != Self() else {
            guard unsafe unlink(name) == 0 || errno == ENOENT else { throw InputFile.failure(name, errno) }
            return
        }
        let parent = (login as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(
            atPath: parent,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let lines =
            (defaultKeychain.map { [Self.defaultWord + $0] } ?? []) + keychains.map { Self.searchWord + $0 }
        let text = lines.map { $0 + "\n" }.joined()
        try OutputFile.replace(name, by: Data(text.utf8), mode: 0o600, calling: name)
    }

    /// Removes a deleted keychain from the list.
    static func remove(_ directory: String) throws(Failure) {
        let login = try Keychains.login(step)
        var list = try load(login)
        if list.defaultKeychain == directory { list.defaultKeychain = nil }
        list.keychains.removeAll { $0 == directory }
        if list != (try load(login)) { try list.save(login) }
    }

    private static func refusal(_ name: String, _ text: String) -> Failure {
        .store(errSecNotAvailable, step: step, detail: "\(BlobText.line(name)): \(text)")
    }
}
