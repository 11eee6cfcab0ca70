// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
package import KeychainModel
import Synchronization

/// The connection to `keychain-identify`, which identifies the executables of other users' processes.
package final class IdentifyClient: Sendable {
    private struct Line {
        var connection: Descriptor?
        var lastRequest: UInt64 = 0
    }

    private enum Exchange {
        case record(ProgramRecord, maps: Descriptor?)
        case timeout
        case broken
    }

    private let line: Mutex<Line>
    /// Whether systemd starts a new `keychain-identify` for a new connection.
    private let reconnects: Bool
    private let ended = Atomic(false)
    /// Admits one request of each user at a time.
    ///
    /// So a request of one user waits for the digest of at most one large executable of each other user.
    private let users: UserGate
    private let timeout: timeval

    /// Creates a client that takes over a connected socket, and closes the socket when the client is deallocated.
    package init(connection: CInt, reconnects: Bool = false, timeoutMilliseconds: Int = 1_500) {
        self.reconnects = reconnects
        timeout = timeval(tv_sec: timeoutMilliseconds / 1_000, tv_usec: timeoutMilliseconds % 1_000 * 1_000)
        users = UserGate(waitMilliseconds: UInt64(timeoutMilliseconds))
        line = Mutex(Line(connection: Self.limited(Descriptor(connection), timeout)))
    }

    /// Whether the connection broke and cannot be made again, so that no program can be identified.
    package var hasEnded: Bool { ended.load(ordering: .sequentiallyConsistent) }

    private static func limited(_ socket: Descriptor, _ timeout: timeval) -> Descriptor {
        var timeout = timeout
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(
                socket.number,
                SOL_SOCKET,
                option,
                &timeout,
                socklen_t(MemoryLayout<timeval>.size)
            )
        }
        return socket
    }

    /// The socket for whose connections systemd starts `keychain-identify`.
    private static let socketPath = "/run/keychain/identify"

    /// Connects to the socket of the program `keychain-identify`, which systemd starts for each connection.
    ///
    /// - Throws: `notAvailable` with `systemCall`.
    package static func connect() throws(StatusError) -> IdentifyClient {
        IdentifyClient(connection: try socketOfSystem(), reconnects: true)
    }

    private static func socketOfSystem() throws(StatusError) -> CInt {
        let socket = unsafe clinux_connect(socketPath)
        guard socket >= 0 else { throw StatusError(.notAvailable, .systemCall, code: errno) }
        _ = fcntl(socket, F_SETFL, 0)
        return socket
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
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The daemon blocks the signals that it reads from a descriptor; the new process must not.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let result = unsafe posix_spawn(&process, path, &actions, &attributes, &arguments, &environment)
        guard result == 0 else { throw StatusError(.notAvailable, .systemCall, code: result) }
        return own
    }

    /// Asks which program a user's process runs; returns the answer and the program's address space.
    ///
    /// - Throws: `missingEntitlement` with `callerRefused` and the number of a ``ProgramRecord/Result`` if the process
    ///   was not identified; `notAvailable` with `daemonTimeout` if there is no reply, or with `systemCall` if
    ///   connecting fails.
    func examine(_ process: Descriptor, of user: uid_t) throws(StatusError) -> (ProgramRecord, ProgramImage) {
        let (record, maps) = try users.enter(user) { () throws(StatusError) in
            try line.withLock { line throws(StatusError) in try ask(.process(process), &line) }
        }
        guard record.result == .identified, let maps else {
            throw StatusError(.missingEntitlement, .callerRefused, code: Int32(record.result.rawValue))
        }
        return (record, ProgramImage(maps: maps))
    }

    /// Returns whether no user is in a group or can join it by a password.
    ///
    /// This process cannot read the groups' passwords itself.
    ///
    /// - Throws: `notAvailable` with `daemonTimeout` if there is no reply, or with `systemCall` if connecting fails.
    func isClosed(_ group: gid_t) throws(StatusError) -> Bool {
        let reply = try line.withLock { line throws(StatusError) in try ask(.group(group), &line) }
        return reply.0.result == .identified
    }

    private enum Subject {
        case process(Descriptor)
        case group(gid_t)
    }

    /// Asks over the connection; if it is broken and systemd can start a new `keychain-identify`, asks once more over a
    /// new one.
    private func ask(
        _ subject: Subject,
        _ line: inout Line
    ) throws(StatusError) -> (ProgramRecord, Descriptor?) {
        for _ in 0..<2 {
            if line.connection == nil, reconnects {
                line.connection = Self.limited(Descriptor(try Self.socketOfSystem()), timeout)
            }
            guard let connection = line.connection else { break }
            line.lastRequest += 1
            switch Self.exchange(line.lastRequest, subject, connection) {
            case .record(let record, let maps): return (record, maps)
            case .timeout:
                // `keychain-identify` may hang forever: close the connection if systemd can replace it.
                if reconnects { line.connection = nil }
                throw StatusError(.notAvailable, .daemonTimeout)
            case .broken: line.connection = nil
            }
        }
        if !reconnects { ended.store(true, ordering: .sequentiallyConsistent) }
        throw StatusError(.notAvailable, .daemonTimeout)
    }

    /// Sends a request, and returns its reply; skips the late replies to earlier requests.
    private static func exchange(
        _ number: UInt64,
        _ subject: Subject,
        _ connection: Descriptor
    ) -> Exchange {
        let (request, descriptor) =
            switch subject {
            case .process(let process): (IdentifyRequest(number).bytes, process.number)
            case .group(let group): (IdentifyRequest(number, group: group).bytes, -1 as CInt)
            }
        guard
            unsafe clinux_send_descriptor(connection.number, request, request.count, descriptor)
                == request.count
        else { return errno == EAGAIN ? .timeout : .broken }
        while true {
            var (maps, reply) = (-1 as CInt, [UInt8](repeating: 0, count: ProgramRecord.byteCount))
            let count = unsafe clinux_receive_descriptor(connection.number, &reply, reply.count, &maps)
            let error = errno
            let descriptor = maps >= 0 ? Descriptor(maps) : nil
            if count < 0, error == EINTR { continue }
            if count < 0, error == EAGAIN { return .timeout }
            guard count == reply.count, let record = try? ProgramRecord(bytes: reply) else { return .broken }
            if record.request == number { return .record(record, maps: descriptor) }
        }
    }
}
