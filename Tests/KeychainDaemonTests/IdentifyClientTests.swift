// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Dispatch
import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// The daemon's requests to `keychain-identify`.
@Suite struct IdentifyClientTests {
    /// The end of the connection at which the test answers requests in place of `keychain-identify`.
    private struct Service {
        let socket: CInt

        /// Receives a request; returns its number and the process that it is about.
        func receive() throws -> (number: UInt64, process: pid_t?) {
            var (number, process) = (0 as UInt64, -1 as CInt)
            guard clinux_receive_descriptor(socket, &number, 8, &process) == 8 else {
                throw POSIXError(.EIO)
            }
            return (number, ProcessFiles.number(of: Descriptor(process)))
        }

        func answer(_ number: UInt64) {
            var record = ProgramRecord(.gone)
            record.request = number
            _ = clinux_send_descriptor(socket, record.bytes, record.bytes.count, -1)
        }
    }

    /// Calls `body` with a client, and with the other end of its connection, at which the test answers.
    private static func withService<Result>(
        _ body: (IdentifyClient, Service) throws -> Result
    ) throws -> Result {
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw POSIXError(.EIO) }
        defer { close(ends[1]) }
        let client = IdentifyClient(connection: ends[0], timeoutMilliseconds: 60_000)
        return try body(client, Service(socket: ends[1]))
    }

    /// Makes three requests for one user, then one for another; returns whether the other user's is received second.
    private static func isReceivedSecond() throws -> Bool {
        try withService { client, service in
            let programs = try (0..<4).map { _ in try ChildProcess("/bin/cat", environment: [:]) }
            defer { for program in programs { program.end() } }
            let ended = DispatchSemaphore(value: 0)
            var order: [pid_t?] = []
            for (index, user) in ([1, 1, 1, 2] as [uid_t]).enumerated() {
                let process = Descriptor(clinux_pidfd_open(programs[index].process))
                DaemonThread.start {
                    _ = try? client.examine(process, of: user)
                    ended.signal()
                }
                // Lets the thread's request enter the queue before the next thread starts.
                usleep(50_000)
            }
            for _ in programs {
                let request = try service.receive()
                order.append(request.process)
                service.answer(request.number)
            }
            for _ in programs { ended.wait() }
            return order[1] == programs[3].process
        }
    }

    @Test func `the waiting requests of a user do not hold up the request of another user`() throws {
        // On a loaded machine, the threads may start in another order, so one success in 20 attempts is enough.
        var isReceivedSecond = false
        for _ in 0..<20 where !isReceivedSecond { isReceivedSecond = try Self.isReceivedSecond() }
        #expect(isReceivedSecond)
    }
}

/// `UserGate`, which lets one thread at a time work for each user.
@Suite struct UserGateTests {
    /// Returns whether a gate admits work for a user now.
    private static func admits(_ gate: UserGate, _ user: uid_t) -> Bool {
        do throws(StatusError) {
            return try gate.enter(user) { () throws(StatusError) in true }
        } catch {
            #expect(error == StatusError(.notAvailable, .daemonTimeout))
            return false
        }
    }

    @Test func `one thread works for each user, and a limited number in all`() throws {
        let gate = UserGate(limit: 2, waitMilliseconds: 0)
        let isEntered = try gate.enter(1) { () throws(StatusError) in
            #expect(!Self.admits(gate, 1))
            let isSecond = try gate.enter(2) { () throws(StatusError) in !Self.admits(gate, 3) }
            return isSecond && Self.admits(gate, 3)
        }
        #expect(isEntered)
        #expect(Self.admits(gate, 1))
    }
}
