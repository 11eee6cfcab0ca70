// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// A running user service or system service, for tests that both must pass.
struct TestedService {
    enum Kind: String, CaseIterable, Sendable {
        case user, system
    }

    let socketPath: String
    /// The process ID of the daemon.
    let process: () -> pid_t
    let client: () -> DaemonKeychain
    /// Starts the test tool as a client: for the system service, as another user than the user of ``client``.
    let startTool: () throws -> ChildProcess
    let kill: () -> Void
    /// Stops the daemon by `SIGTERM`, and waits until it has ended.
    let stop: () throws -> Void
    let restart: () throws -> Void

    static func with<Result>(_ kind: Kind, _ body: (Self) throws -> Result) throws -> Result {
        switch kind {
        case .user:
            return try DaemonProcess.with { daemon in
                try body(
                    Self(
                        socketPath: daemon.socketPath,
                        process: { daemon.child.process },
                        client: { daemon.client() },
                        startTool: { try daemon.startTool() },
                        kill: { daemon.child.end() },
                        stop: { () throws in
                            daemon.send(SIGTERM)
                            #expect(try daemon.child.wait() == .exited(0))
                        },
                        restart: { try daemon.restart() }
                    )
                )
            }
        case .system:
            guard SystemDaemon.isPossible else { try Test.cancel("needs root") }
            return try SystemDaemon.with { daemon in
                let tool = try daemon.copyTool("tool")
                return try body(
                    Self(
                        socketPath: daemon.socketPath,
                        process: { daemon.child.process },
                        client: { daemon.client() },
                        startTool: { try daemon.run(tool, as: .alice) },
                        kill: { daemon.child.end() },
                        stop: { () throws in
                            daemon.send(SIGTERM)
                            #expect(try daemon.child.wait() == .exited(0))
                        },
                        restart: { try daemon.restart() }
                    )
                )
            }
        }
    }

    /// Calls `body`, during which the API's functions use the daemon.
    func run<Result>(_ body: () throws -> Result) throws -> Result { try client().run(body) }
}

extension DaemonKeychain {
    /// Calls `body`, during which the API's functions use this keychain.
    func run<Result>(_ body: () throws -> Result) throws -> Result {
        let identity = try identity().identity
        let caller = Caller(applicationIdentifier: identity.identifier, accessGroups: identity.accessGroups)
        return try SystemKeychain.with(KeychainConnection(daemon: self, caller: caller), body)
    }
}
