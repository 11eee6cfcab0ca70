// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainDaemon
import KeychainModel
import KeychainTestSupport
import Testing

/// The limits of one user: the size of the store, and which users are served.
@Suite struct QuotaTests {
    @Test func `a store of the maximum size is read and shrunk, and takes no further items`() throws {
        try LocalServer.with({ $0.limits.storeBytes = 1 << 20 }) { server in
            let client = server.client()
            var stored = 0
            var failure: StatusError?
            for number in 0..<1_000 where failure == nil {
                do throws(StatusError) {
                    try NumberedItems.add(number, size: 50_000, to: client)
                    stored += 1
                } catch {
                    failure = error
                }
            }
            #expect(failure?.status == .diskFull && failure?.reason == .storeFull)
            #expect((1..<100).contains(stored))
            #expect(try NumberedItems.isStored(0, size: 50_000, in: client))
            #expect(throws: StatusError(.diskFull, .storeFull)) {
                try NumberedItems.add(together: [2_000], to: client)
            }
            for number in 0..<stored { try NumberedItems.delete(number, from: client) }
            try NumberedItems.add(0, to: client)
            #expect(try NumberedItems.isStored(0, in: client))
        }
    }

    @Test(.enabled(if: SystemDaemon.isPossible, "needs root"))
    func `a user outside the configured range is not served`() throws {
        let alice = SystemDaemon.User.alice.rawValue
        try SystemDaemon.with(["--users", "\(alice)-\(alice)"]) { daemon in
            let program = try daemon.copyTool("program")
            let (served, other) = (try daemon.run(program, as: .alice), try daemon.run(program, as: .bob))
            defer { for child in [served, other] { child.end() } }
            #expect(try served.ask("add canary canary-value") == "0")
            #expect(try other.ask("add canary canary-value") == "-25291")
        }
    }

    @Test(arguments: ["1000", "1000-", "-1000", "2-1", "a-b", "1-2-3"])
    func `securityd refuses an invalid range of users`(range: String) throws {
        let child = try ChildProcess(
            DaemonProcess.executable,
            ["--system", "--as", "64001:64001", "--users", range],
            environment: [:]
        )
        defer { child.end() }
        #expect(try child.wait() == .exited(64))
    }
}
