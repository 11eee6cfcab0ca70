// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// Keys that never leave the system service, with an access control that requires a level.
@Suite(.enabled(if: SystemDaemon.isPossible, "needs root"))
struct TokenKeyLevelTests {
    private static let belowLevel = "-34018"

    @Test func `a key with a minimum level is used, changed and deleted only at that level`() throws {
        let (team, group) = (TestTeam(), try SystemGroup.required())
        try SystemDaemon.with(teams: { try team.trust(in: $0, group: group.name) }) { daemon in
            let program = try daemon.copyTool("signed")
            try team.sign(program, groups: ["shared"])
            let above = try daemon.run(program, as: .alice, group: group.number)
            let below = try daemon.run(program, as: .alice)
            defer { for child in [above, below] { child.end() } }
            #expect(try above.ask("token-key make-group canary") == "0")
            for call in ["sign", "change", "delete"] {
                #expect(try below.ask("token-key \(call) canary") == Self.belowLevel, "\(call)")
            }
            for call in ["sign", "change", "delete"] {
                #expect(try above.ask("token-key \(call) canary") == "0", "\(call)")
            }
            #expect(try daemon.rows(of: .alice) == 0)
        }
    }

    /// The level is encrypted with the item's protection class, so it cannot be read while this class is locked.
    @Test func `while the keychain is locked, a program below the level of an item can delete the item`()
        throws
    {
        let (team, group) = (TestTeam(), try SystemGroup.required())
        try SystemDaemon.with(teams: { try team.trust(in: $0, group: group.name) }) { daemon in
            let set = try daemon.security(["set-keychain-password", "-p", "canary-passcode"], as: .alice)
            try #require(set.isSuccess, "\(set.text)")
            let program = try daemon.copyTool("signed")
            try team.sign(program, groups: ["shared"])
            let above = try daemon.run(program, as: .alice, group: group.number)
            let below = try daemon.run(program, as: .alice)
            defer { for child in [above, below] { child.end() } }
            #expect(try above.ask("token-key make-group canary") == "0")
            #expect(try below.ask("token-key delete canary") == Self.belowLevel)
            #expect(try below.ask("lock") == "0")
            #expect(try below.ask("token-key delete canary") == "0")
            #expect(try daemon.rows(of: .alice) == 0)
        }
    }

    @Test(arguments: [false, true])
    func `deleting a key with a minimum level deletes its private half`(isLocked: Bool) throws {
        try SystemDaemon.with { daemon in
            let set = try daemon.security(["set-keychain-password", "-p", "canary-passcode"], as: .alice)
            try #require(set.isSuccess, "\(set.text)")
            let program = try daemon.run(daemon.copyTool("program"), as: .alice)
            defer { program.end() }
            #expect(try program.ask("token-key make-digest canary") == "0")
            #expect(try daemon.rows(of: .alice) == 2)
            if isLocked { #expect(try program.ask("lock") == "0") }
            #expect(try program.ask("token-key delete canary") == "0")
            #expect(try daemon.rows(of: .alice) == 0)
        }
    }
}

extension SystemDaemon {
    /// Returns the number of rows, of items and tombstones, in a user's store.
    fileprivate func rows(of user: User) throws -> Int? {
        let script = """
            import sqlite3, sys
            database = sqlite3.connect('file:' + sys.argv[1] + '?mode=ro', uri=True)
            print(database.execute('SELECT count(*) FROM item').fetchone()[0])
            """
        let path = state.path + "/users/\(user.rawValue)/keychain.db"
        let reader = try ChildProcess("/usr/bin/python3", ["-c", script, path], environment: [:])
        defer { reader.end() }
        return try reader.readLine().flatMap { Int($0) }
    }
}
