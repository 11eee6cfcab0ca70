// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// `security migrate-to-daemon` with the system service, whose files belong to another user.
@Suite(.enabled(if: SystemDaemon.isPossible, "needs root"))
struct SystemMigrationTests {
    private static let passcode = "canary-passcode"

    /// A daemon, and an embedded store whose items are to get the access group of the test process.
    private struct Scene {
        let daemon: SystemDaemon
        let path: String
        let client: DaemonKeychain
        let before: [AttributeValue: [String]]
        private let groups: [String]

        init(_ daemon: SystemDaemon, items count: Int, passcode: String?) throws {
            self.daemon = daemon
            path = daemon.directory.path + "/embedded"
            let source = try EmbeddedKeychain(at: StoreLocation(directory: path))
            if let passcode { try source.setPasscode(SecretBytes(text: passcode)) }
            let requests = (0..<count).map { Request.add(MigrationTests.item($0)) }
            try source.perform(together: requests, for: MigrationTests.every) { _ in true }
            before = try MigrationTests.contents(withGroups: false) {
                try source.perform($0, for: MigrationTests.every)
            }
            var client = daemon.client()
            // On a busy machine, the digest of this large program may come too late: connect again.
            for _ in 0..<60 where try client.identity().identity.accessGroups.isEmpty {
                Thread.sleep(forTimeInterval: 1)
                client = daemon.client()
            }
            self.client = client
            let group = try #require(try client.identity().identity.accessGroups.first)
            groups = (0..<3).flatMap { ["--group", "group.\($0)=\(group)"] }
        }

        func start(_ options: [String] = []) throws -> ChildProcess {
            try SecurityCommand.start(
                ["migrate-to-daemon"] + groups + options,
                environment: [
                    "KEYCHAIN_SOCKET": daemon.socketPath, "KEYCHAIN_BACKEND": "daemon", "KEYCHAIN_HOME": path,
                    "HOME": daemon.directory.path, "KEYCHAIN_PINENTRY": "",
                ]
            )
        }

        func migrate(_ options: [String] = [], passcode: String? = nil) throws -> SecurityCommand.Result {
            let child = try start(options + (passcode == nil ? [] : ["--passcode-fd", "0"]))
            defer { child.end() }
            if let passcode { try child.send(passcode) }
            child.finishInput()
            return try SecurityCommand.Result(lines: child.readLines(), ending: child.wait())
        }

        /// The items in the daemon's store that are in the access group of the test process.
        func moved() throws -> [AttributeValue: [String]] {
            do {
                return try MigrationTests.contents(withGroups: false) {
                    try client.perform($0, for: MigrationTests.every, with: .none)
                }
            } catch let error as StatusError where error.status == .itemNotFound {
                return [:]
            }
        }

        var isRenamed: Bool { !FileManager.default.fileExists(atPath: path) }
    }

    private static func withScene(
        items count: Int,
        passcode: String? = nil,
        _ body: (Scene) throws -> Void
    ) throws {
        try SystemDaemon.with { daemon in try body(Scene(daemon, items: count, passcode: passcode)) }
    }

    @Test(arguments: [nil, passcode])
    func `all items move into the system service, under the group that is given`(passcode: String?) throws {
        try Self.withScene(items: 60, passcode: passcode) { scene in
            #expect(scene.before.count == 60)
            let dry = try scene.migrate(["--dry-run"], passcode: passcode)
            #expect(try dry.isSuccess && scene.moved().isEmpty && !scene.isRenamed, "\(dry.text)")
            let result = try scene.migrate(passcode: passcode)
            #expect(result.isSuccess && result.text.contains("items moved: 60"), "\(result.text)")
            #expect(try scene.moved() == scene.before)
            #expect(scene.isRenamed)
            guard passcode != nil else { return }
            try scene.client.lock()
            try scene.client.unlock(with: SecretBytes(text: Self.passcode))
        }
    }

    @Test func `nothing is lost if the command or the system service is killed`() throws {
        var random = SeededGenerator(seed: Sampling.seed)
        try Self.withScene(items: 300) { scene in
            for round in 0..<(Sampling.isThorough ? 30 : 4) where !scene.isRenamed {
                let child = try scene.start()
                usleep(UInt32.random(in: 0..<300_000, using: &random))
                if round.isMultiple(of: 2) {
                    child.end()
                } else {
                    scene.daemon.child.end()
                    child.end()
                    try scene.daemon.restart()
                }
                // The embedded store is renamed only when the daemon has every item.
                if scene.isRenamed { #expect(try scene.moved() == scene.before) }
            }
            if !scene.isRenamed {
                let result = try scene.migrate()
                #expect(result.isSuccess, "\(result.text)")
            }
            #expect(try scene.moved() == scene.before)
        }
    }
}
