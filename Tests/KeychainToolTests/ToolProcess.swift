// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// A process that a test starts: the built command, or another program.
struct ToolProcess {
    struct Result {
        var output: [UInt8] = []
        var complaints: [UInt8] = []
        /// The exit code, or 128 plus the signal's number.
        var code: Int32

        var outputText: String { String(decoding: output, as: UTF8.self) }
        var complaintsText: String { String(decoding: complaints, as: UTF8.self) }
    }

    struct Unstarted: Error { var code: Int32 }
    struct Unfinished: Error { var identifier: pid_t }

    /// The directory of the built products, which also contains the running test bundle.
    static let products: String = {
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (executable as NSString).deletingLastPathComponent
    }()

    static var executable: String { products + "/security" }

    let identifier: pid_t

    /// Starts a program in a new session, so that it does not have the terminal of the test run.
    init(
        _ program: String,
        _ arguments: [String],
        environment: [String: String],
        input: String,
        output: String,
        complaints: String
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDWR, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, complaints, O_WRONLY | O_CREAT, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // 0x80 is POSIX_SPAWN_SETSID, which the C headers declare only with _GNU_SOURCE. The other flags reset
        // the signal actions and the signal mask of the test runner.
        posix_spawnattr_setflags(&attributes, 0x80 | Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)

        let words = ([program] + arguments).map { strdup($0) }
        let settings = environment.merging(ChildProcess.profile) { $1 }.map { strdup("\($0)=\($1)") }
        defer { (words + settings).forEach { free($0) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, program, &actions, &attributes, words + [nil], settings + [nil])
        guard code == 0 else { throw Unstarted(code: code) }
        self.identifier = identifier
    }

    /// Waits for the process to exit; kills it and throws after this many seconds.
    func wait(seconds: Int = 120) throws -> Int32 {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var status: Int32 = 0
        while waitpid(identifier, &status, WNOHANG) == 0 {
            guard ContinuousClock.now < deadline else {
                kill(identifier, SIGKILL)
                waitpid(identifier, &status, 0)
                throw Unfinished(identifier: identifier)
            }
            usleep(2_000)
        }
        return status & 0x7f == 0 ? status >> 8 & 0xff : 128 + (status & 0x7f)
    }
}

extension Terminal {
    /// Starts the command with the terminal as its controlling terminal.
    ///
    /// The process is a session leader, whose controlling terminal is the first one it opens.
    func start(_ arguments: [String], in home: TemporaryHome) throws -> ToolProcess {
        try start(arguments, in: home.environment)
    }

    func start(_ arguments: [String], in environment: [String: String]) throws -> ToolProcess {
        try start(ToolProcess.executable, arguments, in: environment)
    }

    func start(
        _ program: String,
        _ arguments: [String],
        in environment: [String: String]
    ) throws -> ToolProcess {
        try ToolProcess(
            program,
            arguments,
            environment: environment,
            input: name,
            output: name,
            complaints: name
        )
    }
}
