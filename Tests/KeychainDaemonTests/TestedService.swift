// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainTestSupport
import Testing

/// A running service of either kind, for tests that both must pass.
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
                        restart: { try daemon.restart() }
                    )
                )
            }
        }
    }
}
