// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
package import KeychainModel

package struct ListeningSocket: Sendable {
    package let descriptor: CInt
    /// The path to remove when the daemon ends; `nil` for a socket that systemd passed.
    private let path: String?

    /// Takes a socket passed by systemd, which keeps it open when the daemon ends.
    package init(passed descriptor: CInt) {
        self.descriptor = descriptor
        path = nil
    }

    /// Creates a socket at a path, and its directory.
    ///
    /// With `isOpenToAll`, all users may traverse a new directory and connect to the socket, otherwise only this user.
    ///
    /// - Throws: `notAvailable` with `directoryNotPrivate` if the directory belongs to another user or other users can
    ///   write it, with `daemonIsRunning` if a daemon is listening at the path, and with `systemCall` for other errors.
    package init(at path: String, isOpenToAll: Bool = false) throws(StatusError) {
        self.path = path
        let directory = path.directoryOfPath
        let isNew = unsafe mkdir(directory, 0o700) == 0
        let opened = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { throw Self.failure }
        defer { close(opened) }
        var file = clinux_file()
        guard unsafe clinux_identify(opened, "", 0, &file) == 0, file.owner == geteuid(),
            file.mode & 0o022 == 0
        else { throw StatusError(.notAvailable, .directoryNotPrivate) }
        // Set the mode here, because `mkdir` removes the bits of the file mode mask.
        if isNew, isOpenToAll, fchmod(opened, 0o755) != 0 { throw Self.failure }
        // Lock the directory, so that only one daemon at a time checks whether another is listening.
        while flock(opened, LOCK_EX) != 0 { guard errno == EINTR else { throw Self.failure } }
        let other = unsafe clinux_connect(path)
        guard other < 0, errno == ECONNREFUSED || errno == ENOENT else {
            // With `EAGAIN`, a daemon listens, but too many connections wait. Other errors are failures: the path may
            // have more than 107 bytes, for example.
            guard other >= 0 || errno == EAGAIN else { throw Self.failure }
            if other >= 0 { close(other) }
            throw StatusError(.notAvailable, .daemonIsRunning)
        }
        unsafe unlink(path)
        descriptor = unsafe clinux_listen(path)
        guard descriptor >= 0, unsafe chmod(path, isOpenToAll ? 0o666 : 0o600) == 0 else {
            throw Self.failure
        }
    }

    /// Removes the socket's path, so that clients do not try a daemon that has ended.
    package func remove() { if let path { unsafe unlink(path) } }

    private static var failure: StatusError { StatusError(.notAvailable, .systemCall, code: errno) }
}
