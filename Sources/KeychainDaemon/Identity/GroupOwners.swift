// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient

/// Records in the file `groups` which team owns an application group that no team file lists.
///
/// The owner is the first team that uses the group.
struct GroupOwners {
    private let directory: String
    private static let limit = 1 << 20

    init(directory: String) { self.directory = directory }

    /// Returns whether a team owns a group; if no team does, this team becomes the owner.
    ///
    /// The result is also `false` if the file `groups` cannot be read or written, or is full.
    func claim(_ name: String, for team: String) -> Bool {
        unsafe mkdir(directory, 0o700)
        guard let (file, bytes) = open(O_CREAT), bytes.count < Self.limit - 1_024 else { return false }
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
            guard parts.count == 2, parts[1].elementsEqual(name.utf8) else { continue }
            return parts[0].elementsEqual(team.utf8)
        }
        let line = Array("\(team) \(name)\n".utf8)
        return unsafe pwrite(file.number, line, line.count, off_t(bytes.count)) == line.count
            && fdatasync(file.number) == 0
    }

    /// Makes a team the owner of all groups that the file `groups` assigns to another team.
    ///
    /// The new identifier overwrites the old one in place, because all team identifiers have the same length.
    ///
    /// - Returns: `false` if the file cannot be read or written; `true` if there is no file.
    func move(from old: TeamIdentifier, to new: TeamIdentifier) -> Bool {
        guard let (file, bytes) = open() else { return errno == ENOENT }
        let prefix = Array((old.text + " ").utf8)
        var (start, isWritten) = (0, true)
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if line.starts(with: prefix) {
                let text = Array(new.text.utf8)
                isWritten =
                    unsafe pwrite(file.number, text, text.count, off_t(start)) == text.count && isWritten
            }
            start += line.count + 1
        }
        return isWritten && fdatasync(file.number) == 0
    }

    /// Opens and locks the file `groups`; returns it with its complete lines, or `nil` on failure.
    private func open(_ creating: CInt = 0) -> (file: Descriptor, lines: ArraySlice<UInt8>)? {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | creating
        let file = Descriptor(unsafe Glibc.open(directory + "/groups", flags, 0o600))
        // Lock the file, because two connections of a user may claim a group at the same time.
        guard file.number >= 0, flock(file.number, LOCK_EX) == 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Self.limit)
        let count = unsafe pread(file.number, &bytes, bytes.count, 0)
        guard count >= 0 else { return nil }
        // Remove an incomplete line: its write failed or was interrupted, so its team does not own the group.
        let complete = bytes[..<count].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        guard complete == count || ftruncate(file.number, off_t(complete)) == 0 else { return nil }
        return (file, bytes[..<complete])
    }
}
