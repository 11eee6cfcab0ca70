// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// Agents beside `securityd`, which has no network: they synchronize the stores that the daemon serves.
@Suite(.timeLimit(.minutes(10))) struct DaemonTests {
    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "sync-\(UUID())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        chmod(directory, 0o711)
        do {
            try await body(directory)
        } catch {
            try? FileManager.default.removeItem(atPath: directory)
            throw error
        }
        try? FileManager.default.removeItem(atPath: directory)
    }

    @Test
    func `changes are synchronized between clients of securityd --user and another device`()
        async throws
    {
        let server = try await EtcdServer()
        defer { server.end() }
        try await withDirectory { directory in
            let runtime = ["XDG_RUNTIME_DIR": directory]
            let embedded = Program([
                "KEYCHAIN_HOME": directory + "/laptop", "KEYCHAIN_BACKEND": "embedded",
            ])
            // The daemon and its agent use the same directory.
            let service = Program(runtime.merging(["KEYCHAIN_HOME": directory + "/desktop"]) { $1 })
            let client = Program(runtime.merging(["KEYCHAIN_BACKEND": "daemon"]) { $1 })
            let daemon = try service.startDaemon(["--user"])
            defer { daemon.end() }
            try client.add("first", "canary one")
            try service.create(server)
            try embedded.join(service, server)
            let agents = try [service.startAgent(), embedded.startAgent()]
            defer { for agent in agents { agent.end() } }
            #expect(try await embedded.waits(for: "canary one", of: "first"))
            try embedded.add("first", "canary two")
            #expect(try await client.waits(for: "canary two", of: "first"))
            try client.add("second", "canary three")
            #expect(try await embedded.waits(for: "canary three", of: "second"))
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can start the system service"))
    func `the stores of two users of securityd --system are synchronized by agents of the service's user`()
        async throws
    {
        // None of these users has an account.
        let (keychain, alice, bob): (UInt32, UInt32, UInt32) = (64_011, 64_012, 64_013)
        let server = try await EtcdServer()
        defer { server.end() }
        try await withDirectory { directory in
            mkdir(directory + "/teams", 0o755)
            let daemon = try Program([:]).startDaemon([
                "--system", "--as", "\(keychain):\(keychain)", "--socket", directory + "/run/socket",
                "--state", directory + "/state", "--teams", directory + "/teams",
            ])
            defer { daemon.end() }
            let clients = [alice, bob].map { user in
                let environment = [
                    "KEYCHAIN_SOCKET": directory + "/run/socket", "KEYCHAIN_BACKEND": "daemon",
                ]
                return Program(environment, as: user)
            }
            let stores = [alice, bob].map { user in
                let home = [
                    "KEYCHAIN_HOME": "\(directory)/state/users/\(user)", "KEYCHAIN_BACKEND": "embedded",
                ]
                return Program(home, as: keychain)
            }
            // The first item creates the store.
            try clients[0].add("first", "canary one")
            try clients[1].add("other", "canary two")
            try stores[0].create(server)
            try stores[1].join(stores[0], server)
            let agents = try stores.map { try $0.startAgent() }
            defer { for agent in agents { agent.end() } }
            #expect(try await clients[1].waits(for: "canary one", of: "first"))
            #expect(try await clients[0].waits(for: "canary two", of: "other"))
            // A user's own `keychain-sync` fails. It does not fall back to an embedded store of the user.
            let status = #expect(throws: Program.Failure.self) {
                try clients[0].run("keychain-sync", ["status", "--json"])
            }
            #expect(status?.lines.first?.contains(#""problem":"system-service""#) == true)
            try clients[1].add("first", "canary three")
            #expect(try await clients[0].waits(for: "canary three", of: "first"))
        }
    }
}
