// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainDaemon

/// `security team move`: the items of a team that has lost its key become those of its new team.
@Suite(.enabled(if: SystemDaemon.isPossible, "needs root"))
struct TeamMoveTests {
    private static let passcode = "canary-passcode"
    private static let notFound = "-25300 "
    private static let found = "0 canary-value"

    /// A program that the earlier team has signed, and its next version, which the new team has signed.
    private struct Scene {
        let daemon: SystemDaemon
        let (old, new): (TestTeam, TestTeam)
        let (earlier, next): (String, String)

        init(_ daemon: SystemDaemon, _ old: TestTeam, _ new: TestTeam) throws {
            (self.daemon, self.old, self.new) = (daemon, old, new)
            earlier = try daemon.copyTool("earlier")
            next = try daemon.copyTool("next", change: true)
            try old.sign(earlier, groups: ["shared", "other"])
            try new.sign(next, groups: ["shared", "other"])
        }

        /// Adds an item to each group of the earlier team, as a user.
        func add() throws {
            try withProgram(earlier) { program in
                for (account, group) in [("first", "shared"), ("second", "other")] {
                    let added = try program.ask("add \(account) canary-value \(old.identifier).\(group)")
                    try #require(added == "0")
                }
            }
        }

        func withProgram<Result>(_ path: String, _ body: (ChildProcess) throws -> Result) throws -> Result {
            let program = try daemon.run(path, as: .alice)
            defer { program.end() }
            return try body(program)
        }

        func copies(_ path: String) throws -> [String] {
            try withProgram(path) { program in try ["first", "second"].map { try program.ask("copy \($0)") } }
        }

        /// Moves the items as root.
        func move(_ options: [String] = [], input: String? = nil) throws -> SecurityCommand.Result {
            try SecurityCommand.run(
                ["team", "move", "--user", "\(SystemDaemon.User.alice.rawValue)"] + options + [
                    old.identifier, new.identifier,
                ],
                input: input,
                environment: ["KEYCHAIN_SOCKET": daemon.socketPath, "KEYCHAIN_BACKEND": "daemon"]
            )
        }

        /// Moves the items as the user.
        func moveAsUser(_ passcode: String = TeamMoveTests.passcode) throws -> SecurityCommand.Result {
            try daemon.security(
                ["team", "move", "--passcode-fd", "0", old.identifier, new.identifier],
                as: .alice,
                input: passcode
            )
        }
    }

    /// Calls `body` with a daemon whose administrator trusts both teams, and a user with a passcode.
    private static func withScene(_ body: (Scene) throws -> Void) throws {
        let (old, new) = (TestTeam(), TestTeam())
        try SystemDaemon.with(teams: {
            try old.trust(in: $0)
            try new.trust(in: $0)
        }) { daemon in
            let set = try daemon.security(["set-keychain-password", "-p", passcode], as: .alice)
            try #require(set.isSuccess, "\(set.text)")
            try body(Scene(daemon, old, new))
        }
    }

    @Test func `root moves the items of all groups of a team, and the audit log records it`() throws {
        try Self.withScene { scene in
            try scene.add()
            #expect(try scene.copies(scene.next) == [Self.notFound, Self.notFound])
            let moved = try scene.move(["--json"])
            #expect(moved.isSuccess && moved.text.contains("\"moved\":2"), "\(moved.text)")
            #expect(try scene.copies(scene.next) == [Self.found, Self.found])
            #expect(try scene.copies(scene.earlier) == [Self.notFound, Self.notFound])
            try scene.withProgram(scene.next) { program throws in
                #expect(try program.ask("group second") == "\(scene.new.identifier).other")
            }
            let records = try scene.daemon.records { record in
                record["operation"] == "adopt" && record["result"] == "0" && record["count"] == "2"
                    && record["group"].contains(scene.old.identifier)
                    && record["group"].contains(scene.new.identifier)
            }
            #expect(records == 1)
            let again = try scene.move()
            #expect(again.ending == .exited(44), "\(again.text)")
        }
    }

    @Test func `a user who knows the passcode cannot move the items of the administrator's team`() throws {
        try Self.withScene { scene in
            try scene.add()
            let refused = try scene.moveAsUser()
            #expect(!refused.isSuccess && refused.text.contains("only root can move"), "\(refused.text)")
            #expect(try scene.copies(scene.earlier) == [Self.found, Self.found])
            // The move is still refused after the administrator has removed the file of the old team.
            try scene.old.distrust(in: scene.daemon)
            scene.daemon.send(SIGHUP)
            var still = try scene.moveAsUser()
            for _ in 0..<100 where still.text.contains("only root can move") {
                still = try scene.moveAsUser()
            }
            #expect(!still.isSuccess && still.text.contains("a team is not trusted"), "\(still.text)")
            let moved = try scene.move()
            #expect(moved.isSuccess, "\(moved.text)")
            #expect(try scene.copies(scene.next) == [Self.found, Self.found])
        }
    }

    @Test func `a user moves the items of a team that only the user trusts`() throws {
        let (old, new) = (TestTeam(), TestTeam())
        try SystemDaemon.with { daemon in
            let set = try daemon.security(["set-keychain-password", "-p", Self.passcode], as: .alice)
            try #require(set.isSuccess, "\(set.text)")
            let scene = try Scene(daemon, old, new)
            for (number, team) in [old, new].enumerated() {
                if number == 1 {
                    try scene.add()
                    let early = try scene.moveAsUser()
                    #expect(!early.isSuccess && early.text.contains("a team is not trusted"), "\(early.text)")
                }
                try team.trust(in: daemon.directory)
                let file = daemon.directory.appending(component: team.identifier + TeamFile.suffix).path
                let trusted = try daemon.security(
                    ["team", "trust", file, "--passcode-fd", "0"],
                    as: .alice,
                    input: Self.passcode
                )
                try #require(trusted.isSuccess, "\(trusted.text)")
            }
            #expect(!(try scene.moveAsUser("canary-wrong").isSuccess))
            #expect(try scene.copies(scene.earlier) == [Self.found, Self.found])
            let moved = try scene.moveAsUser()
            #expect(moved.isSuccess && moved.text.contains("2 items moved"), "\(moved.text)")
            #expect(try scene.copies(scene.next) == [Self.found, Self.found])
        }
    }

    @Test func `an item that the new team already has is not replaced`() throws {
        try Self.withScene { scene in
            try scene.add()
            try scene.withProgram(scene.next) { program in
                let added = try program.ask("add first canary-new \(scene.new.identifier).shared")
                #expect(added == "0")
            }
            let moved = try scene.move()
            #expect(moved.ending == .exited(1) && moved.text.contains("1 items stay"), "\(moved.text)")
            #expect(try scene.copies(scene.next) == ["0 canary-new", Self.found])
            #expect(try scene.copies(scene.earlier) == [Self.found, Self.notFound])
        }
    }

    @Test(arguments: [false, true])
    func `items that root cannot read without the passcode are reported, because they may be of the team`(
        hasOthers: Bool
    ) throws {
        try Self.withScene { scene in
            try scene.withProgram(scene.earlier) { program throws in
                // The default group of the program is `shared`.
                #expect(try program.ask("protected constrain ak constrained") == "0")
                guard hasOthers else { return }
                #expect(try program.ask("add second canary-value \(scene.old.identifier).other") == "0")
            }
            let incomplete = try scene.move()
            #expect(incomplete.ending == .exited(1), "\(incomplete.text)")
            #expect(incomplete.text.contains("1 items cannot be read"), "\(incomplete.text)")
            let complete = try scene.move(["--passcode-fd", "0"], input: Self.passcode)
            #expect(complete.isSuccess && complete.text.contains("1 items moved"), "\(complete.text)")
        }
    }

    @Test func `the private halves of keys are not reported as items of the team`() throws {
        try Self.withScene { scene in
            try scene.withProgram(scene.earlier) { program throws in
                #expect(try program.ask("token-key make-digest canary") == "0")
            }
            let moved = try scene.move()
            #expect(moved.isSuccess && moved.text.contains("1 items moved"), "\(moved.text)")
            try scene.withProgram(scene.next) { program throws in
                #expect(try program.ask("token-key sign canary") == "0")
            }
        }
    }

    @Test(arguments: [[], ["one"], ["AAAAAAAAAAAAAAAA"], ["AAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAA"]])
    func `two different team identifiers are required`(operands: [String]) throws {
        let result = try SecurityCommand.run(["team", "move"] + operands, environment: [:])
        #expect(result.ending == .exited(2), "\(result.text)")
    }
}

@Suite struct ApplicationGroupMoveTests {
    private static let (old, new, other) = ("AAAAAAAAAAAAAAAA", "BBBBBBBBBBBBBBBB", "CCCCCCCCCCCCCCCC")

    @Test func `the application groups of a team become those of its new team`() throws {
        let (old, new) = (try #require(TeamIdentifier(Self.old)), try #require(TeamIdentifier(Self.new)))
        try TestTool.withDirectory { directory in
            let owners = GroupOwners(directory: directory.path)
            #expect(owners.move(from: old, to: new))
            for (group, team) in [("group.a", Self.old), ("group.b", Self.other), ("group.c", Self.old)] {
                #expect(owners.claim(group, for: team))
            }
            #expect(owners.move(from: old, to: new))
            #expect(owners.claim("group.a", for: Self.new) && owners.claim("group.c", for: Self.new))
            #expect(!owners.claim("group.a", for: Self.old) && !owners.claim("group.b", for: Self.new))
            #expect(owners.claim("group.b", for: Self.other))
        }
    }
}
