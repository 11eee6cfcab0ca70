// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// Attacks on the system-wide `securityd` by unprivileged users and their programs.
@Suite(.enabled(if: SystemDaemon.isPossible, "needs root"))
struct AttackTests {
    private static let notEntitled = "-34018"
    private static let notFound = "-25300 "

    /// Calls `body` with a daemon, a team that it trusts, and a signed program with the access group `shared`.
    private static func withSignedProgram(
        _ body: (SystemDaemon, TestTeam, String) throws -> Void
    ) throws {
        let team = TestTeam()
        try SystemDaemon.with(teams: { try team.trust(in: $0) }) { daemon in
            let program = try daemon.copyTool("signed")
            try team.sign(program, groups: ["shared"])
            try body(daemon, team, program)
        }
    }

    @Test func `programs of one team share an item, and an unsigned program does not get it`() throws {
        try Self.withSignedProgram { daemon, team, program in
            let second = try daemon.copyTool("second", change: true)
            try team.sign(second, groups: ["shared"])
            let (one, two) = (try daemon.run(program, as: .alice), try daemon.run(second, as: .alice))
            let third = try daemon.run(try daemon.copyTool("third", change: true), as: .alice)
            defer { for child in [one, two, third] { child.end() } }
            #expect(try one.ask("add canary canary-value") == "0")
            #expect(try one.ask("group canary").hasSuffix("\(team.identifier).shared"))
            #expect(try two.ask("copy canary") == "0 canary-value")
            #expect(try third.ask("copy canary") == Self.notFound)
            #expect(try third.ask("add canary other \(team.identifier).shared") == Self.notEntitled)
            #expect(try third.ask("add canary other") == "0")
            #expect(try third.ask("group canary").contains("unsigned."))
            #expect(try two.ask("copy canary") == "0 canary-value")
        }
    }

    @Test func `each user has a store of their own, whose files they cannot read`() throws {
        try Self.withSignedProgram { daemon, _, program in
            let (alice, bob) = (try daemon.run(program, as: .alice), try daemon.run(program, as: .bob))
            defer { for child in [alice, bob] { child.end() } }
            #expect(try alice.ask("add canary canary-value") == "0")
            #expect(try bob.ask("copy canary") == Self.notFound)
            let store = daemon.state.path + "/users/\(SystemDaemon.User.alice.rawValue)/keychain.db"
            #expect(FileManager.default.fileExists(atPath: store))
            let reader = try daemon.run("/bin/cat", [store], as: .alice)
            #expect(try reader.wait() == .exited(1))
        }
    }

    @Test func `a user cannot read the daemon's memory, environment or memory map`() throws {
        try SystemDaemon.with { daemon in
            for file in ["mem", "environ", "maps"] {
                for user in [SystemDaemon.User.alice, .service] {
                    let reader = try daemon.run(
                        "/bin/cat",
                        ["/proc/\(daemon.child.process)/\(file)"],
                        as: user
                    )
                    #expect(try reader.wait() == .exited(1), "\(file) \(user)")
                }
            }
        }
    }

    @Test func `a copied signature gives a changed executable no access group`() throws {
        try Self.withSignedProgram { daemon, team, program in
            let changed = try daemon.copyTool("changed", change: true)
            try FileManager.default.copyItem(atPath: program + ".signature", toPath: changed + ".signature")
            let (honest, attacker) = (
                try daemon.run(program, as: .alice), try daemon.run(changed, as: .alice)
            )
            defer { for child in [honest, attacker] { child.end() } }
            #expect(try honest.ask("add canary canary-value") == "0")
            #expect(try attacker.ask("copy canary") == Self.notFound)
            #expect(try attacker.ask("add x y \(team.identifier).shared") == Self.notEntitled)
        }
    }

    @Test func `a running program keeps its identity when its file is replaced or deleted`() throws {
        try Self.withSignedProgram { daemon, team, program in
            let (replaced, other) = (
                try daemon.run(program, as: .alice), try daemon.copyTool("other", change: true)
            )
            defer { replaced.end() }
            #expect(try replaced.ask("add canary canary-value") == "0")
            #expect(rename(other, program) == 0)
            #expect(try replaced.ask("copy canary") == "0 canary-value")
            // The file that replaced the program has the program's signature beside it, but another digest.
            let attacker = try daemon.run(program, as: .alice)
            defer { attacker.end() }
            #expect(try attacker.ask("copy canary") == Self.notFound)
            let deleted = try daemon.run(program, as: .bob)
            defer { deleted.end() }
            #expect(try deleted.ask("cd /") == "0")
            unlink(program)
            // A program whose executable is deleted before it connects has no access group.
            #expect(try deleted.ask("add canary canary") == Self.notEntitled)
        }
    }

    @Test func `a team that is removed loses its groups at the next reload`() throws {
        try Self.withSignedProgram { daemon, team, program in
            let child = try daemon.run(program, as: .alice)
            defer { child.end() }
            #expect(try child.ask("add canary canary-value") == "0")
            try team.distrust(in: daemon)
            #expect(try child.ask("copy canary") == "0 canary-value")
            daemon.send(SIGHUP)
            var answer = try child.ask("copy canary")
            for _ in 0..<10_000 where answer.hasPrefix("0") { answer = try child.ask("copy canary") }
            #expect(answer == Self.notFound)
        }
    }

    @Test func `a team that requires a Unix group trusts only programs that run with this group`() throws {
        let group = try SystemGroup.required()
        let team = TestTeam()
        try SystemDaemon.with(
            teams: { try team.trust(in: $0, group: group.name, minimumLevel: .group) }
        ) { daemon in
            let program = try daemon.copyTool("signed")
            try team.sign(program, groups: ["shared"])
            let member = try daemon.run(program, as: .alice, group: group.number)
            let other = try daemon.run(program, as: .alice)
            defer { for child in [member, other] { child.end() } }
            #expect(try member.ask("add canary canary-value") == "0")
            #expect(try member.ask("group canary").hasSuffix("\(team.identifier).shared"))
            #expect(try other.ask("copy canary") == Self.notFound)
            // Membership in the Unix group is not enough: the program must be signed by the team.
            let unsigned = try daemon.run(
                try daemon.copyTool("unsigned", change: true),
                as: .alice,
                group: group.number
            )
            defer { unsigned.end() }
            #expect(try unsigned.ask("copy canary") == Self.notFound)
        }
    }

    @Test func `an application group belongs to the team that uses it first`() throws {
        let teams = [TestTeam(), TestTeam()]
        try SystemDaemon.with(teams: { for team in teams { try team.trust(in: $0) } }) { daemon in
            var programs: [ChildProcess] = []
            defer { for program in programs { program.end() } }
            for (number, team) in teams.enumerated() {
                let program = try daemon.copyTool("program\(number)", change: true)
                try team.sign(program, groups: [], applicationGroups: ["group.common"])
                programs.append(try daemon.run(program, as: .alice))
            }
            #expect(try programs[0].ask("add canary canary-value group.common") == "0")
            #expect(try programs[1].ask("add canary canary-value group.common") == Self.notEntitled)
        }
    }

    @Test func `a program at another user's socket is not taken for the daemon`() throws {
        try SystemDaemon.with { daemon in
            let directory = daemon.directory.appending(component: "bob")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            chown(directory.path, SystemDaemon.User.bob.rawValue, SystemDaemon.User.bob.rawValue)
            chmod(directory.path, 0o755)
            let socket = directory.path + "/socket"
            let squatter = try daemon.run(
                "/usr/bin/env",
                [
                    "KEYCHAIN_HOME=\(directory.path)/store", DaemonProcess.executable, "--user", "--socket",
                    socket,
                ],
                as: .bob
            )
            defer { squatter.end() }
            #expect(try squatter.readLine()?.hasSuffix(": ready") == true)
            chmod(socket, 0o666)
            let victim = try daemon.run(
                "/usr/bin/env",
                ["KEYCHAIN_SOCKET=\(socket)", try daemon.copyTool("victim")],
                as: .alice
            )
            defer { victim.end() }
            #expect(try victim.ask("add canary canary-value") == "-25291")
            #expect(try victim.ask("failure").contains("is not securityd"))
        }
    }

    @Test func `another program that gets a connection by exec is disconnected`() throws {
        try SystemDaemon.with { daemon in
            let script = Self.execAttack.replacing("SOCKET", with: daemon.socketPath)
            let child = try daemon.run("/usr/bin/python3", ["-c", script], as: .alice)
            defer { child.end() }
            #expect(try child.readLines() == ["before: 6", "after: closed"])
        }
    }

    /// A Python program that makes a call, executes another program image, and makes the same call again.
    private static let execAttack = """
        import os, socket, struct, sys
        def read(s):
            head = s.recv(16, socket.MSG_WAITALL)
            if len(head) < 16: return None, b''
            size, _, kind, _, _ = struct.unpack('<IQBBH', head)
            return kind, s.recv(size - 12, socket.MSG_WAITALL) if size > 12 else b''
        def send(s, kind, body):
            s.sendall(struct.pack('<IQBBH', 12 + len(body), 1, kind, 0, 0) + body)
        call = struct.pack('<Q', 2 ** 63) + bytes(16) + bytes([35])
        s = socket.socket(socket.AF_UNIX)
        s.connect('SOCKET')
        hello = read(s)[1]
        send(s, 2, b'KCC1' + struct.pack('<H', 1) + hello[8:24] + bytes(4) + struct.pack('<II', 1, 0)[:4] + b'x' + bytes(4))
        assert read(s)[0] == 3
        send(s, 5, call)
        print('before:', read(s)[0], flush=True)
        os.set_inheritable(s.fileno(), True)
        again = '''
        import socket, struct, sys
        s = socket.socket(fileno=int(sys.argv[1]))
        body = bytes.fromhex(sys.argv[2])
        try:
            s.sendall(struct.pack('<IQBBH', 12 + len(body), 1, 5, 0, 0) + body)
            data = s.recv(16)
        except OSError:
            data = b''
        print('after:', 'served' if data else 'closed', flush=True)
        '''
        import textwrap
        os.execv(sys.executable, [sys.executable, '-c', textwrap.dedent(again), str(s.fileno()), call.hex()])
        """
}
