// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import FoundationEssentials
import Glibc

/// A process of `keychain-sync`; its standard input and output are a socket.
final class SyncProcess {
    private let process: pid_t
    private let socket: CInt
    private var unread: [UInt8] = []

    init(
        _ program: String,
        _ arguments: [String],
        directory: String?
    ) throws(KeychainSynchronizationError) {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .noAnswer }
        defer { close(ends[1]) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        for stream in [STDIN_FILENO, STDOUT_FILENO] {
            unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], stream)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        unsafe _ = clinux_spawn_close_from(&actions, STDERR_FILENO + 1)
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        var variables = unsafe Self.environment(directory).map { unsafe strdup($0) } + [nil]
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        let code = unsafe posix_spawnp(&process, program, &actions, nil, &words, &variables)
        guard code == 0 else {
            close(ends[0])
            throw .programMissing
        }
        self.process = process
        socket = ends[0]
    }

    deinit {
        // The program ends when its standard input ends, except `keychain-sync invite`, which waits for a device. The
        // signal ends `keychain-sync invite`.
        close(socket)
        kill(process, SIGTERM)
        var status: CInt = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    private static func environment(_ directory: String?) -> [String] {
        var variables: [String] = []
        var next = unsafe environ
        while let variable = unsafe next.pointee {
            let text = unsafe String(cString: variable)
            if directory == nil || !text.hasPrefix("KEYCHAIN_HOME=") { variables.append(text) }
            unsafe next += 1
        }
        if let directory { variables.append("KEYCHAIN_HOME=" + directory) }
        return variables
    }

    func send(_ line: String) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(count, 0))
        }
    }

    /// Returns the next line of the output; `nil` at the end of the output.
    func line() -> [UInt8]? {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeSubrange(...end) }
                return Array(unread[..<end])
            }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe read(socket, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            unread += buffer[..<count]
        }
    }

    /// Returns the last line of output, after the program has ended.
    func lastLine() -> [UInt8]? {
        var last: [UInt8]?
        while let line = line() { last = line }
        return last
    }
}

/// The JSON that `keychain-sync` prints.
enum SyncAnswer {
    struct Result: Decodable {
        var recoveryCode, code, device, name, added, generation: String?
    }

    struct Problem: Decodable {
        var problem: String
        var message: String
        /// The identifier of the circle, the set of synchronized devices; `nil` unless the answer is a status.
        ///
        /// The `problem` in a status is the last one of the background agent, not an error of this call.
        var circle: String?
    }

    struct Device: Decodable {
        var device, name, role: String
        var this: Bool
        var lastActivity: UInt64?
    }

    struct Status: Decodable {
        var circle, device, role, fingerprint: String
        var generation, devices, records, outbox, localOnly, locked, conflicts: Int
        var lastHead: UInt64
        var isOutOfContact, isClockBehind, paused: Bool
        var problem, message: String?
    }

    struct Conflict: Decodable {
        var number: Int64
        var device: String
        var time: UInt64
        var itemClass, accessGroup, account, service: String?
    }

    /// Decodes an answer; throws the problem that it reports, or `noAnswer` if it is malformed.
    static func decode<Answer: Decodable>(_ line: [UInt8]) throws(KeychainSynchronizationError) -> Answer {
        let (data, decoder) = (Data(line), JSONDecoder())
        if let failure = try? decoder.decode(Problem.self, from: data), failure.circle == nil {
            throw KeychainSynchronizationError(code: failure.problem, description: failure.message)
        }
        guard let answer = try? decoder.decode(Answer.self, from: data) else { throw .noAnswer }
        return answer
    }
}

extension Date {
    /// Creates a date from milliseconds since 1970; returns `nil` for 0 and for `nil`.
    fileprivate init?(milliseconds: UInt64?) {
        guard let milliseconds, milliseconds > 0 else { return nil }
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}

extension SynchronizedDevice {
    init(_ answer: SyncAnswer.Device) {
        self.init(
            identifier: answer.device,
            name: answer.name,
            role: Role(description: answer.role),
            isThisDevice: answer.this,
            lastActivity: Date(milliseconds: answer.lastActivity)
        )
    }
}

extension KeychainSynchronizationStatus {
    init(_ answer: SyncAnswer.Status) {
        self.init(
            circle: answer.circle,
            device: answer.device,
            role: answer.role == "removed" ? nil : SynchronizedDevice.Role(description: answer.role),
            deviceCount: answer.devices,
            generation: answer.generation,
            itemCount: answer.records,
            unsentCount: answer.outbox,
            localOnlyCount: answer.localOnly,
            lockedCount: answer.locked,
            conflictCount: answer.conflicts,
            fingerprint: answer.fingerprint,
            lastAcknowledgement: Date(milliseconds: answer.lastHead),
            isOutOfContact: answer.isOutOfContact,
            isClockBehind: answer.isClockBehind,
            isPaused: answer.paused,
            problem: answer.problem.map {
                KeychainSynchronizationError(code: $0, description: answer.message ?? $0)
            }
        )
    }
}

extension SynchronizationConflict {
    init(_ answer: SyncAnswer.Conflict) {
        self.init(
            number: answer.number,
            device: answer.itemClass == nil ? nil : answer.device,
            date: Date(milliseconds: answer.time),
            accessGroup: answer.accessGroup,
            service: answer.service,
            account: answer.account
        )
    }
}
