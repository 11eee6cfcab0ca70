// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
package import KeychainModel
import Synchronization

/// The connection to `keychain-identify`, which identifies the executables of other users' processes.
package final class IdentifyClient: Sendable {
    private let connection: Mutex<Descriptor>

    /// Creates a client that uses a connected socket, and closes it.
    package init(connection: CInt) { self.connection = Mutex(Descriptor(connection)) }

    /// The socket for whose connections systemd starts `keychain-identify`.
    private static let socketPath = "/run/keychain/identify"

    /// Connects to the socket of the program `keychain-identify`, which systemd starts for each connection.
    ///
    /// - Throws: `notAvailable` with `systemCall`.
    package static func connect() throws(StatusError) -> IdentifyClient {
        let socket = unsafe clinux_connect(socketPath)
        guard socket >= 0 else { throw StatusError(.notAvailable, .systemCall, code: errno) }
        _ = fcntl(socket, F_SETFL, 0)
        return IdentifyClient(connection: socket)
    }

    /// Starts the program at a path, and connects to it by a socket pair as its standard input.
    ///
    /// - Throws: `notAvailable` with `systemCall`.
    package static func start(_ path: String) throws(StatusError) -> IdentifyClient {
        var ends: [CInt] = [-1, -1]
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw StatusError(.notAvailable, .systemCall, code: errno)
        }
        let (own, other) = (IdentifyClient(connection: ends[0]), Descriptor(ends[1]))
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, other.number, 0)
        _ = unsafe clinux_spawn_close_from(&actions, 3)
        var process: pid_t = 0
        let name = unsafe strdup(path)
        defer { unsafe free(name) }
        var arguments = unsafe [name, nil]
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
        let result = unsafe posix_spawn(&process, path, &actions, nil, &arguments, &environment)
        guard result == 0 else { throw StatusError(.notAvailable, .systemCall, code: result) }
        return own
    }

    /// Returns the record of the program that a process runs, and its open address space.
    func examine(_ process: Descriptor) throws(StatusError) -> (ProgramRecord, ProgramImage) {
        let (bytes, maps) = connection.withLock { connection in Self.ask(connection, about: process) }
        let record = try ProgramRecord(bytes: bytes)
        guard record.result == .identified, let maps else {
            throw StatusError(.missingEntitlement, .callerRefused, code: Int32(record.result.rawValue))
        }
        return (record, ProgramImage(maps: maps))
    }

    private static func ask(_ connection: Descriptor, about process: Descriptor) -> ([UInt8], Descriptor?) {
        var (request, maps) = (1 as UInt8, -1 as CInt)
        var reply = [UInt8](repeating: 0, count: ProgramRecord.byteCount)
        guard unsafe clinux_send_descriptor(connection.number, &request, 1, process.number) == 1 else {
            return ([], nil)
        }
        let count = unsafe clinux_receive_descriptor(connection.number, &reply, reply.count, &maps)
        return (Array(reply.prefix(max(count, 0))), maps >= 0 ? Descriptor(maps) : nil)
    }
}
