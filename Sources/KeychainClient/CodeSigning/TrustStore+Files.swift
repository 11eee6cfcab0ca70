// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainStore

extension TrustStore {
    /// The directory of the administrator's team files.
    package static let systemDirectory = "/etc/keychain/teams.d"

    /// Reads the files `TEAMID.team` of a directory; a defective file disables only its own team.
    ///
    /// The directory and the files must belong to `owner`, and not be writable by other users. A missing directory
    /// means that there are no teams.
    package init(directory path: String, owner: UInt32 = 0) {
        self.init()
        let directory = FileDescriptor(unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        let error = errno
        guard directory.number >= 0 else {
            if error != ENOENT { disable(path, .unreadable(error)) }
            return
        }
        guard Self.isProtected(directory.number, owner) else {
            disable(path, .writableByOthers)
            return
        }
        for name in PrivateDirectory.names(in: directory.number).sorted()
        where name.hasSuffix(TeamFile.suffix) {
            do throws(TeamFileDefect) {
                add(try Self.read(name, in: directory.number, owner))
            } catch {
                disable(name, error)
            }
        }
    }

    /// Returns the teams that this system's administrator trusts.
    package static func ofSystem() -> Self { Self(directory: systemDirectory) }

    private static func read(
        _ name: String,
        in directory: CInt,
        _ owner: uid_t
    ) throws(TeamFileDefect) -> Team {
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
        let file = FileDescriptor(unsafe openat(directory, name, flags))
        guard file.number >= 0 else {
            throw errno == ELOOP ? .notARegularFile : .unreadable(errno)
        }
        guard let status = status(of: file.number) else { throw .unreadable(errno) }
        guard status.mode & S_IFMT == S_IFREG else { throw .notARegularFile }
        guard isProtected(file.number, owner) else { throw .writableByOthers }
        guard let bytes = BoundedFile.read(file.number, atMost: TeamFile.maximumByteCount + 1) else {
            throw .unreadable(errno)
        }
        let team = try TeamFile.parse(bytes)
        guard name == TeamFile.name(of: team.identifier) else { throw .otherName }
        return team
    }

    private static func isProtected(_ file: CInt, _ owner: uid_t) -> Bool {
        guard let status = status(of: file) else { return false }
        return status.owner == owner && status.mode & 0o022 == 0
    }

    private static func status(of file: CInt) -> clinux_file? {
        var status = clinux_file()
        return unsafe clinux_identify(file, "", 0, &status) == 0 ? status : nil
    }
}
