// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Records which team owns an application group that no team file lists: the first team that uses the group.
struct GroupOwners {
    private let directory: String
    private static let limit = 1 << 20

    init(directory: String) { self.directory = directory }

    /// Returns whether a team owns a group; if no team does, this team becomes the owner.
    ///
    /// `false` also if the record cannot be read or written.
    func claim(_ name: String, for team: String) -> Bool {
        unsafe mkdir(directory, 0o700)
        let flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW
        let file = Descriptor(unsafe open(directory + "/groups", flags, 0o600))
        // Lock the file, because two connections of a user may claim a group at the same time.
        guard file.number >= 0, flock(file.number, LOCK_EX) == 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: Self.limit)
        let count = unsafe pread(file.number, &bytes, bytes.count, 0)
        guard count >= 0, count < Self.limit - 1_024 else { return false }
        // Remove an incomplete line: its write failed or was interrupted, so its team does not own the group.
        let complete = bytes[..<count].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        guard complete == count || ftruncate(file.number, off_t(complete)) == 0 else { return false }
        for line in bytes[..<complete].split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
            guard parts.count == 2, parts[1].elementsEqual(name.utf8) else { continue }
            return parts[0].elementsEqual(team.utf8)
        }
        let line = Array("\(team) \(name)\n".utf8)
        return unsafe write(file.number, line, line.count) == line.count && fdatasync(file.number) == 0
    }
}
