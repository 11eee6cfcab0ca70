// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import FoundationEssentials
import Glibc
import KeychainObjects

/// `ssh-agent`: signs with keys of the keychain for SSH clients.
///
/// Requests are answered one after another, so the user sees one prompt at a time.
struct SSHAgent {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard !arguments.isInteractive else {
            throw .usage("ssh-agent is not available in interactive mode")
        }
        let socket = try AgentSocket(arguments.value("socket"))
        let signals = clinux_signals()
        guard signals >= 0 else { throw InputFile.failure("signalfd", errno) }
        defer { close(signals) }
        guard !arguments.operands.isEmpty else {
            try Console.write("SSH_AUTH_SOCK=\(ShellText.word(socket.path)); export SSH_AUTH_SOCK;\n")
            let server = try AgentServer(socket, signals, AgentKeys(arguments: arguments))
            return try server.serve(until: nil)
        }
        let command = try AgentCommand(arguments.operands, socket: socket.path)
        let server = try AgentServer(socket, signals, AgentKeys(arguments: arguments))
        try server.serve(until: command)
        let code = command.wait()
        guard code == 0 else { throw .said(result: code) }
    }
}

/// The command that an SSH agent serves; the agent ends when the command ends.
struct AgentCommand {
    private let process: pid_t
    /// A descriptor that becomes readable when the command has ended.
    let descriptor: Int32

    /// Starts a command with the socket in its environment.
    init(_ words: [String], socket: String) throws(Failure) {
        unsafe setenv("SSH_AUTH_SOCK", socket, 1)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
        // Unblock all signals for the command: the agent blocks those that it reads from a descriptor.
        var mask = sigset_t()
        unsafe sigemptyset(&mask)
        unsafe posix_spawnattr_setsigmask(&attributes, &mask)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let code = CoreLimit.restored {
            unsafe posix_spawnp(&process, words[0], nil, &attributes, &pointers, environ)
        }
        guard code == 0 else {
            throw .message(
                "\(BlobText.line(words[0])): \(unsafe String(cString: strerror(code)))",
                result: code == ENOENT ? 127 : 126
            )
        }
        self.process = process
        descriptor = clinux_pidfd_open(process)
        guard descriptor >= 0 else { throw InputFile.failure("pidfd_open", errno) }
    }

    func pass(_ signal: Int32) { kill(process, signal) }

    /// Returns the exit code, or 128 plus the number of the signal.
    func wait() -> Int32 {
        defer { close(descriptor) }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f)
    }
}

final class AgentServer {
    private let socket: AgentSocket
    private let signals: Int32
    private let keys: AgentKeys
    private let epoll: Int32
    /// The bytes of incomplete requests, by connection.
    private var received: [Int32: Data] = [:]
    /// Whether no connection is accepted for now, because no descriptor is free.
    private var isPaused = false

    init(_ socket: AgentSocket, _ signals: Int32, _ keys: AgentKeys) throws(Failure) {
        (self.socket, self.signals, self.keys) = (socket, signals, keys)
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw InputFile.failure("epoll", errno) }
        for descriptor in [socket.descriptor, signals] { watch(descriptor) }
    }

    deinit {
        for connection in received.keys { close(connection) }
        close(epoll)
    }

    private func watch(_ descriptor: Int32) {
        _ = clinux_epoll_change(epoll, EPOLL_CTL_ADD, descriptor, EPOLLIN.rawValue)
    }

    /// Serves clients until the command ends, or without a command, until a signal arrives.
    ///
    /// Passes SIGTERM on to the command.
    func serve(until command: AgentCommand?) throws(Failure) {
        if let command { watch(command.descriptor) }
        var ready = [Int32](repeating: -1, count: 64)
        while true {
            let timeout = isPaused ? Self.pause : -1
            let count = unsafe clinux_epoll_wait(epoll, &ready, Int32(ready.count), timeout)
            guard count >= 0 || errno == EINTR else { throw InputFile.failure("epoll", errno) }
            if count == 0 { setPaused(false) }
            for descriptor in ready.prefix(max(0, Int(count))) {
                switch descriptor {
                case command?.descriptor: return
                case signals:
                    let signal = clinux_next_signal(signals)
                    guard signal != 0 else { continue }
                    guard let command else { return }
                    // Pass on SIGTERM only: the terminal sends its signals, such as SIGINT,
                    // to the command itself.
                    if signal == SIGTERM { command.pass(signal) }
                case socket.descriptor: accept()
                default: if !receive(from: descriptor) { drop(descriptor) }
                }
            }
        }
    }

    private static let mostConnections = 64

    /// After how many milliseconds without an event the agent accepts connections again.
    ///
    /// The agent stops accepting them if no descriptor is free, and resumes earlier if a connection is closed.
    private static let pause: Int32 = 1_000

    private func accept() {
        switch socket.accept() {
        case .none: return
        case .exhausted: setPaused(true)
        case .connection(let connection):
            guard received.count < Self.mostConnections else {
                close(connection)
                return
            }
            received[connection] = Data()
            watch(connection)
        }
    }

    /// Stops or resumes accepting connections.
    ///
    /// While no descriptor is free, a waiting connection would make `epoll_wait` return again at once.
    private func setPaused(_ isPaused: Bool) {
        guard self.isPaused != isPaused else { return }
        self.isPaused = isPaused
        let events = isPaused ? 0 : EPOLLIN.rawValue
        _ = clinux_epoll_change(epoll, EPOLL_CTL_MOD, socket.descriptor, events)
    }

    private func drop(_ connection: Int32) {
        received[connection] = nil
        close(connection)
        setPaused(false)
    }

    /// Receives bytes and answers complete requests; returns whether the connection stays open.
    private func receive(from connection: Int32) -> Bool {
        guard var bytes = received[connection] else { return true }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe read(connection, $0.baseAddress, $0.count)
        }
        guard count > 0 else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
        bytes.append(contentsOf: buffer.prefix(count))
        do throws(AsymmetricKeyError) {
            while let message = try AgentProtocol.takeMessage(from: &bytes) {
                guard send(AgentProtocol.answer(message, with: keys), to: connection) else { return false }
            }
        } catch {
            return false
        }
        received[connection] = bytes
        return true
    }

    /// Sends an answer; returns `false` if the client has closed the connection, or does not read within
    /// ``sendTimeout``.
    private func send(_ answer: Data, to connection: Int32) -> Bool {
        var rest = [UInt8](answer)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe clinux_send(connection, $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
                continue
            }
            guard count < 0, errno == EAGAIN || errno == EINTR else { return false }
            var waiting = pollfd(fd: connection, events: Int16(POLLOUT), revents: 0)
            guard unsafe poll(&waiting, 1, Self.sendTimeout) > 0 else { return false }
        }
        return true
    }

    /// How long a client may block the answers to others, in milliseconds.
    private static let sendTimeout: Int32 = 5_000
}
