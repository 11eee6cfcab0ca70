// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainUserPresence

/// The processes of programs that prompt the user.
@Suite struct PromptProcessTests {
    private static let lastProcess = "/proc/sys/kernel/ns_last_pid"

    private static func start(_ program: String, _ arguments: [String]) throws -> PromptProcess {
        guard let process = PromptProgram.start(program, arguments) else {
            throw CocoaError(.executableNotLoadable)
        }
        return process
    }

    /// Starts `cat` under a given process ID, which must be free.
    private static func startEcho(_ number: pid_t) throws -> ChildProcess {
        for _ in 0..<5_000 {
            try "\(number - 1)".write(toFile: lastProcess, atomically: false, encoding: .utf8)
            let child = try ChildProcess("/bin/cat", environment: [:])
            if child.process == number { return child }
            child.end()
        }
        throw CocoaError(.executableNotLoadable)
    }

    @Test(.enabled(if: access(lastProcess, W_OK) == 0, "needs root, to choose a process ID"))
    func `a process that has the process ID of a reaped program gets no signal`() throws {
        let program = try Self.start("/bin/sleep", ["60"])
        kill(program.number, SIGKILL)
        #expect(waitpid(program.number, nil, 0) == program.number)
        let other = try Self.startEcho(program.number)
        defer { other.end() }
        program.end(by: SIGTERM, count: 2)
        #expect(program.status() == .lost)
        #expect(try other.ask("canary") == "canary")
    }

    @Test func `a program that ignores the signal is killed`() throws {
        let program = try Self.start("/bin/sh", ["-c", "trap '' TERM; while :; do sleep 0.01; done"])
        #expect(program.status() == .running)
        program.end(by: SIGTERM, count: 5)
        #expect(program.status() == .lost)
    }

    @Test(arguments: [("exit 8", 8 << 8), ("kill -ALRM $$", SIGALRM)])
    func `the status of an ended program is that of waitpid`(script: String, status: CInt) throws {
        let program = try Self.start("/bin/sh", ["-c", script])
        var found = program.status()
        for _ in 0..<60_000 where found == .running {
            program.wait(milliseconds: 1)
            found = program.status()
        }
        #expect(found == .ended(status))
    }
}
