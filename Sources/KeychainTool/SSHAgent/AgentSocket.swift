// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc

final class AgentSocket {
    let path: String
    let descriptor: Int32
    /// The directory that was made for the socket; `nil` if the user chose the path.
    private let directory: String?

    /// Listens at a path, or at a new path in a private directory.
    init(_ path: String?) throws(Failure) {
        if let path {
            (self.path, directory) = (path, nil)
            try Self.removeAbandoned(path)
        } else {
            let directory = try Self.privateDirectory()
            (self.path, self.directory) = ("\(directory)/agent", directory)
        }
        let mask = umask(0o177)
        descriptor = unsafe clinux_listen(self.path)
        let code = errno
        umask(mask)
        guard descriptor >= 0 else { throw InputFile.failure(self.path, code) }
    }

    deinit {
        close(descriptor)
        unsafe _ = unlink(path)
        if let directory { unsafe _ = rmdir(directory) }
    }

    /// Removes the socket of an agent that has ended; fails if the agent still listens.
    private static func removeAbandoned(_ path: String) throws(Failure) {
        var file = clinux_file()
        guard unsafe clinux_identify(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &file) == 0,
            mode_t(file.mode) & S_IFMT == S_IFSOCK
        else { return }
        let connection = unsafe clinux_connect(path)
        guard connection < 0 else {
            close(connection)
            throw InputFile.failure(path, EADDRINUSE)
        }
        guard errno == ECONNREFUSED else { throw InputFile.failure(path, errno) }
        unsafe _ = unlink(path)
    }

    /// Creates a directory that only this user can search.
    private static func privateDirectory() throws(Failure) -> String {
        let parents = ["XDG_RUNTIME_DIR", "TMPDIR"].map(Variable.string).filter { $0.hasPrefix("/") }
        let pattern = (parents.first ?? "/tmp") + "/security-ssh-agent.XXXXXX"
        var name = pattern.utf8CString.map { $0 }
        guard unsafe mkdtemp(&name) != nil else { throw InputFile.failure(pattern, errno) }
        return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    enum Accepted {
        /// A connection of this user or of root.
        case connection(Int32)
        /// No connection was accepted, for example because none is waiting, or the waiting one is from another user.
        case none
        /// A connection waits, but the process or the system has no descriptor or memory for it.
        case exhausted
    }

    func accept() -> Accepted {
        let connection = clinux_accept(descriptor)
        guard connection >= 0 else {
            return [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) ? .exhausted : .none
        }
        var peer = clinux_peer()
        guard unsafe clinux_peer(connection, &peer) == 0, peer.user == geteuid() || peer.user == 0 else {
            close(connection)
            return .none
        }
        return .connection(connection)
    }
}
