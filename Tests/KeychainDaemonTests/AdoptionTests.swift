// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// The items of unsigned programs that are updated: `security codesign adopt`, and programs that the administrator has
/// registered.
@Suite(.enabled(if: SystemDaemon.isPossible, "needs root"))
struct AdoptionTests {
    private static let passcode = "canary-passcode"
    private static let notFound = "-25300 "

    /// A user's program that has stored an item, and was then replaced by another version.
    private struct Update {
        let daemon: SystemDaemon
        let program: String
        let earlier: String

        init(_ daemon: SystemDaemon, setsPasscode: Bool = true) throws {
            self.daemon = daemon
            program = try daemon.copyTool("program")
            if setsPasscode {
                let set = try daemon.security(["set-keychain-password", "-p", passcode], as: .alice)
                try #require(set.isSuccess, "\(set.text)")
            }
            let first = try daemon.run(program, as: .alice)
            defer { first.end() }
            try #require(try first.ask("add canary canary-value") == "0")
            earlier = try daemon.copyTool("earlier")
            try #require(rename(try daemon.copyTool("new", change: true), program) == 0)
        }

        /// The reply of a program that reads the item.
        func reply(of program: String, as user: SystemDaemon.User = .alice) throws -> String {
            let child = try daemon.run(program, as: user)
            defer { child.end() }
            return try child.ask("copy canary")
        }

        func adopt(
            _ options: [String] = [],
            passcode: String = AdoptionTests.passcode
        ) throws -> SecurityCommand.Result {
            try daemon.security(
                ["codesign", "adopt", "--passcode-fd", "0", "--from", earlier, program] + options,
                as: .alice,
                input: passcode
            )
        }
    }

    @Test func `an updated program gets its items after the user has adopted them`() throws {
        try SystemDaemon.with { daemon in
            let update = try Update(daemon)
            #expect(try update.reply(of: update.program) == Self.notFound)
            let list = ["codesign", "adopt", "--list", "--passcode-fd", "0"]
            let before = try daemon.security(list, as: .alice, input: Self.passcode)
            #expect(before.lines.count == 1 && before.text.hasSuffix(": 1 items"), "\(before.text)")
            let adopted = try update.adopt()
            #expect(adopted.isSuccess && adopted.text.contains("1 items moved"), "\(adopted.text)")
            #expect(try update.reply(of: update.program) == "0 canary-value")
            #expect(try update.reply(of: update.earlier) == Self.notFound)
            let after = try daemon.security(list + ["--json"], as: .alice, input: Self.passcode)
            #expect(after.text.contains("\"items\":1") && after.text != before.text)
            #expect(
                try daemon.records { $0["operation"] == "adopt" && $0["result"] == "0" && $0["count"] == "1" }
                    == 1
            )
            let again = try update.adopt()
            #expect(again.ending == .exited(44), "\(again.text)")
        }
    }

    @Test func `the list of groups leaves out items that require an application password`() throws {
        try SystemDaemon.with { daemon in
            _ = try Update(daemon)
            let addition = [
                "add-generic-password", "-s", "app", "-a", "me", "--access-control", "application-password",
                "--application-password", "canary app", "-X", "01",
            ]
            let added = try daemon.security(addition, as: .alice)
            #expect(added.isSuccess, "\(added.text)")
            let list = ["codesign", "adopt", "--list", "--passcode-fd", "0"]
            let listed = try daemon.security(list, as: .alice, input: Self.passcode)
            #expect(listed.isSuccess && listed.lines.count == 1, "\(listed.text)")
        }
    }

    @Test func `an adoption without the passcode is refused, and moves nothing`() throws {
        try SystemDaemon.with { daemon in
            let update = try Update(daemon)
            let wrong = try update.adopt(passcode: "canary-wrong")
            #expect(!wrong.isSuccess && !wrong.text.contains("moved"), "\(wrong.text)")
            #expect(
                !(try daemon.security(
                    ["codesign", "adopt", "--list", "--passcode-fd", "0"],
                    as: .alice,
                    input: "canary-wrong"
                ).isSuccess)
            )
            #expect(try update.reply(of: update.program) == Self.notFound)
            #expect(try update.reply(of: update.earlier) == "0 canary-value")
        }
    }

    @Test func `without a passcode, only root can move the items`() throws {
        try SystemDaemon.with { daemon in
            let update = try Update(daemon, setsPasscode: false)
            #expect(!(try update.adopt().isSuccess))
            #expect(try update.reply(of: update.program) == Self.notFound)
            let adopted = try SecurityCommand.run(
                [
                    "codesign", "adopt", "--user", "\(SystemDaemon.User.alice.rawValue)", "--from",
                    update.earlier, update.program,
                ],
                environment: ["KEYCHAIN_SOCKET": daemon.socketPath, "KEYCHAIN_BACKEND": "daemon"]
            )
            #expect(adopted.isSuccess, "\(adopted.text)")
            #expect(try update.reply(of: update.program) == "0 canary-value")
        }
    }

    @Test func `another user cannot adopt the items, and no one can adopt those of a team`() throws {
        let team = TestTeam()
        try SystemDaemon.with(teams: { try team.trust(in: $0) }) { daemon in
            let update = try Update(daemon)
            let (from, to) = (try Self.group(of: update.earlier), try Self.group(of: update.program))
            let passcode = SentSecret(SecretBytes(text: Self.passcode))
            let alice = SystemDaemon.User.alice.rawValue
            let refused: [(AdoptionCall.Operation, uid_t?, SystemDaemon.User)] = [
                (.move(from: from, to: to), alice, .bob), (.list, alice, .bob),
                (.move(from: "\(team.identifier).shared", to: to), nil, .alice),
                (.move(from: from, to: "keychain.user-teams"), nil, .alice),
                (.move(from: from, to: "*"), nil, .alice), (.move(from: from, to: from), nil, .alice),
            ]
            for (operation, owner, user) in refused {
                let call = DaemonCall.adoption(AdoptionCall(operation, ofUser: owner, passcode))
                guard case .failure(let error) = try daemon.reply(to: call, as: user) else {
                    Issue.record("\(operation) is not refused")
                    continue
                }
                #expect(error.status == .missingEntitlement)
            }
            #expect(try update.reply(of: update.earlier) == "0 canary-value")
        }
    }

    private static func group(of program: String) throws -> String {
        let file = open(program, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        return try ExecutableDigest(of: file).privateGroup
    }

    @Test func `an item that the updated program has stored again is not replaced`() throws {
        try SystemDaemon.with { daemon in
            let update = try Update(daemon)
            let new = try daemon.run(update.program, as: .alice)
            defer { new.end() }
            #expect(try new.ask("add canary canary-new") == "0")
            let adopted = try update.adopt()
            #expect(adopted.ending == .exited(1) && adopted.text.contains("1 items stay"), "\(adopted.text)")
            #expect(try new.ask("copy canary") == "0 canary-new")
            #expect(try update.reply(of: update.earlier) == "0 canary-value")
        }
    }

    @Test func `the user service has no private groups, and refuses an adoption`() throws {
        try DaemonProcess.with { daemon in
            let refused = try daemon.security(
                ["codesign", "adopt", "--from", SecurityCommand.executable, SecurityCommand.executable]
            )
            #expect(!refused.isSuccess && refused.text.contains("the system service"), "\(refused.text)")
            let call = AdoptionCall.Operation.move(from: "program:/a", to: "program:/b")
            #expect(throws: StatusError(.unimplemented, .notThroughDaemon)) {
                try daemon.client().adopt(call, ofUser: nil, passcode: SecretBytes(text: "canary"))
            }
        }
    }

    /// Lists the program `name` as one that keeps its access group after an update, before the daemon starts.
    private static func register(_ name: String, beside teams: URL, mode: mode_t = 0o644) throws {
        let directory = teams.deletingLastPathComponent()
        let list = directory.appending(component: "programs")
        try FileManager.default.createDirectory(at: list, withIntermediateDirectories: false)
        chmod(list.path, 0o755)
        let file = list.appending(component: "test.programs")
        try "# of a test\n\(directory.path)/\(name)\n".write(to: file, atomically: false, encoding: .utf8)
        chmod(file.path, mode)
    }

    @Test func `a program that the administrator has registered keeps its items when it is updated`() throws {
        try SystemDaemon.with(teams: { try Self.register("program", beside: $0) }) { daemon in
            let update = try Update(daemon)
            #expect(try update.reply(of: update.program) == "0 canary-value")
            // A copy at another path, even of the same bytes, is another program.
            #expect(try update.reply(of: update.earlier) == Self.notFound)
            let child = try daemon.run(update.program, as: .alice)
            defer { child.end() }
            #expect(try child.ask("group canary") == "program:\(update.program)")
        }
    }

    @Test(arguments: ["chown 64002", "chmod g+w"])
    func `a registered program that others could replace is identified by its digest`(change: String) throws {
        try SystemDaemon.with(teams: { try Self.register("program", beside: $0) }) { daemon in
            let program = try daemon.copyTool("program")
            let changed = try ChildProcess("/bin/sh", ["-c", "\(change) \"$0\"", program], environment: [:])
            defer { changed.end() }
            #expect(try changed.wait() == .exited(0))
            let child = try daemon.run(program, as: .alice)
            defer { child.end() }
            #expect(try child.ask("add canary canary-value") == "0")
            #expect(try child.ask("group canary").hasPrefix("unsigned."))
        }
    }

    @Test func `a list that others can write registers no program`() throws {
        try SystemDaemon.with(teams: { try Self.register("program", beside: $0, mode: 0o666) }) { daemon in
            let child = try daemon.run(try daemon.copyTool("program"), as: .alice)
            defer { child.end() }
            #expect(try child.ask("add canary canary-value") == "0")
            #expect(try child.ask("group canary").hasPrefix("unsigned."))
        }
    }
}

extension SystemDaemon {
    /// Returns how many records of the audit log satisfy a condition.
    func records(_ isMatch: (AuditLine) -> Bool) throws -> Int {
        var count = 0
        _ = try AuditLogReader.verify(state.path + "/audit") { if isMatch($0) { count += 1 } }
        return count
    }

    /// Makes a call as a user, by a program that speaks the daemon's protocol; returns the daemon's reply.
    func reply(to call: DaemonCall, as user: User) throws -> DaemonReply {
        let message = Hexadecimal.text(RawClient.request(call).frames)
        let program = try run("/usr/bin/python3", ["-c", AttackScripts.call, socketPath, message], as: user)
        defer { program.end() }
        let line = try program.readLine() ?? ""
        guard let body = Hexadecimal.bytes(line) else { throw AttackFailure(description: line) }
        return try WireReader.decode(body) { reader throws(StatusError) in try reader.value() }
    }
}
