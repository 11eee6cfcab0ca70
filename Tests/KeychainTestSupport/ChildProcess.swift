// SPDX-License-Identifier: Apache-2.0

package import Foundation
import Glibc
import Synchronization

/// A child process with line-based input and output.
///
/// Call `end()` to kill and reap the process. Reading a line and waiting for the exit fail after a minute; sending a
/// line waits without limit for a process that does not read.
package final class ChildProcess: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The exit status of the process, or the signal that killed it.
    package enum Ending: Hashable, Sendable {
        case exited(Int32)
        case killed(Int32)
    }

    private struct State {
        var ending: Ending?
        var unread: [UInt8] = []
    }

    /// The session and terminal of a child process; its standard input and output are a socket.
    package enum Place {
        /// The session and terminal of the test run.
        case inherited
        /// A new session without a terminal, as under cron; standard error is discarded.
        case noTerminal
        /// A new session whose standard error is the terminal.
        case standardError(Terminal)
        /// A new session with a controlling terminal that no file descriptor refers to.
        case session(Terminal)
    }

    /// The time limit in milliseconds for one line and for the end of the process.
    private static let timeout: Int32 = 60_000

    package let process: pid_t
    private let socket: CInt
    private let state = Mutex(State())

    /// Starts a program with the given environment and, of this process's, only the variables of ``inherited``.
    package init(
        _ executable: String,
        _ arguments: [String] = [],
        environment: [String: String],
        at place: Place = .inherited
    ) throws {
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else {
            throw Failure(description: "socketpair: \(errno)")
        }
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for number: CInt in [0, 1] { posix_spawn_file_actions_adddup2(&actions, ends[1], number) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        place.prepare(&actions, &attributes)
        var argv = ([executable] + arguments).map { strdup($0) } + [nil]
        var envp = Self.inherited.merging(environment) { $1 }.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for string in argv + envp { free(string) } }
        var process: pid_t = 0
        var result = ETXTBSY
        // The kernel refuses a program (`ETXTBSY`) that was just copied, if a child of another test inherited
        // the descriptor that wrote it.
        for _ in 0..<1_000 where result == ETXTBSY {
            result = posix_spawn(&process, executable, &actions, &attributes, &argv, &envp)
            if result == ETXTBSY { usleep(1_000) }
        }
        guard result == 0 else {
            close(ends[0])
            throw Failure(description: "\(executable) does not start: \(result)")
        }
        self.process = process
        socket = ends[0]
    }

    deinit { end() }

    /// Environment variables that sanitizers, coverage and toolchains in unusual locations need.
    private static let inherited = ProcessInfo.processInfo.environment
        .filter { ["LD_LIBRARY_PATH", "TSAN_OPTIONS", "ASAN_OPTIONS"].contains($0.key) }
        .merging(profile) { $1 }

    /// The variable that sets where a program built for coverage writes its counters.
    ///
    /// By default the program would write them to its working directory.
    package static let profile: [String: String] = {
        let environment = ProcessInfo.processInfo.environment
        guard environment["LLVM_PROFILE_FILE"] != nil else { return [:] }
        return ["LLVM_PROFILE_FILE": environment["KEYCHAIN_TEST_PROFILE"] ?? "/dev/null"]
    }()

    package func send(_ line: String) throws {
        var rest = ArraySlice((line + "\n").utf8)
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "the program no longer reads: \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    package func finishInput() { shutdown(socket, CInt(SHUT_WR)) }

    /// Returns the next line of the process's standard output, without a newline; `nil` at its end.
    package func readLine() throws -> String? {
        try state.withLock { state in
            while true {
                if let end = state.unread.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: state.unread[..<end], as: UTF8.self)
                    state.unread.removeSubrange(...end)
                    return line
                }
                var poll = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                guard Glibc.poll(&poll, 1, Self.timeout) > 0 else { throw Failure(description: "no answer") }
                var buffer = [UInt8](repeating: 0, count: 65_536)
                let count = read(socket, &buffer, buffer.count)
                guard count > 0 else {
                    defer { state.unread = [] }
                    return state.unread.isEmpty ? nil : String(decoding: state.unread, as: UTF8.self)
                }
                state.unread += buffer[..<count]
            }
        }
    }

    package func ask(_ line: String) throws -> String {
        try send(line)
        guard let answer = try readLine() else { throw Failure(description: "the program ended: \(end())") }
        return answer
    }

    package func readLines() throws -> [String] {
        var lines: [String] = []
        while let line = try readLine() { lines.append(line) }
        return lines
    }

    package func kill() { state.withLock { if $0.ending == nil { _ = Glibc.kill(process, SIGKILL) } } }

    /// Closes the standard input, reads the remaining output, and waits for the process to exit.
    package func wait() throws -> Ending {
        finishInput()
        _ = try readLines()
        for _ in 0..<Self.timeout {
            if let ending = collect(WNOHANG) { return ending }
            usleep(1_000)
        }
        throw Failure(description: "the program does not end")
    }

    /// Kills the process if it is still running, and reaps it.
    @discardableResult
    package func end() -> Ending {
        kill()
        return collect(0) ?? .exited(-1)
    }

    private func collect(_ options: CInt) -> Ending? {
        state.withLock { state in
            if let ending = state.ending { return ending }
            var status: CInt = 0
            guard waitpid(process, &status, options) == process else { return nil }
            let signal = status & 0x7f
            let ending = signal == 0 ? Ending.exited((status >> 8) & 0xff) : .killed(signal)
            state.ending = ending
            close(socket)
            return ending
        }
    }
}

extension ChildProcess.Place {
    fileprivate func prepare(
        _ actions: inout posix_spawn_file_actions_t,
        _ attributes: inout posix_spawnattr_t
    ) {
        if case .inherited = self { return }
        // 0x80 is POSIX_SPAWN_SETSID, which the C headers declare only with _GNU_SOURCE. The first terminal
        // that a session leader opens becomes its controlling terminal.
        posix_spawnattr_setflags(&attributes, 0x80)
        switch self {
        case .inherited: break
        case .noTerminal: posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        case .standardError(let terminal):
            posix_spawn_file_actions_addopen(&actions, 2, terminal.name, O_RDWR, 0)
        case .session(let terminal):
            posix_spawn_file_actions_addopen(&actions, 2, terminal.name, O_RDWR, 0)
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
    }
}
