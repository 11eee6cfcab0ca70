// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainStore
import Testing

@Suite struct TeamFileTests {
    private static let key = String(repeating: "0123456789abcdef", count: 4)
    private static let least = "public-key = \(key)\nname = Example\n"

    private let team = Team(
        publicKey: Ed25519PrivateKey.random().publicKey,
        name: "Example",
        group: "keychain-example",
        minimumSerial: 4,
        minimumLevel: .group,
        revokedDigests: [.random(), .random()],
        applicationGroups: ["group.one", "group.two"]
    )

    @Test func `a written file is read as the same team`() throws {
        #expect(try TeamFile.parse(Array(TeamFile.text(of: team).utf8)) == team)
    }

    @Test func `comments, blank lines and spaces are allowed`() throws {
        let text = "# Example\n\n\tpublic-key=\(Self.key)  \n  name  =  Ex am=ple \n"
        #expect(try TeamFile.parse(Array(text.utf8)).name == "Ex am=ple")
    }

    @Test func `a minimal team file has the default minimums`() throws {
        let team = try TeamFile.parse(Array(Self.least.utf8))
        #expect(team.minimumSerial == 1)
        #expect(team.minimumLevel == .digest)
        #expect(team.group == nil)
    }

    @Test(arguments: [
        ("", TeamFileDefect.noPublicKey), ("name = Example\n", .noPublicKey),
        ("public-key = \(key)\n", .noName), ("\(least)unknown = 1\n", .line(3)),
        ("\(least)name = Twice\n", .line(3)), ("\(least)public-key = \(key)\n", .line(3)),
        ("public-key = \(key)0\n", .line(1)), ("public-key = \(key.uppercased())\n", .line(1)),
        ("public-key = \(key.dropLast())\n", .line(1)), ("name =\n", .line(1)), ("name\n", .line(1)),
        ("name = \(String(repeating: "n", count: 129))\n", .line(1)), ("name = a\u{7}b\n", .line(1)),
        ("name = a\u{202E}b\n", .line(1)), ("name = a\rb\n", .line(1)),
        ("\(least)minimum-serial = 0\n", .line(3)), ("\(least)minimum-serial = 01\n", .line(3)),
        ("\(least)minimum-serial = +1\n", .line(3)), ("\(least)minimum-serial = 4294967296\n", .line(3)),
        ("\(least)minimum-level = 3\n", .line(3)), ("\(least)minimum-level = root\n", .line(3)),
        ("\(least)group = Wheel\n", .line(3)), ("\(least)group = a b\n", .line(3)),
        ("\(least)revoked-digest = 00\n", .line(3)), ("\(least)application-group = *\n", .line(3)),
        ("\(least)application-group = group.\n", .line(3)),
        ("\(least)application-group = group.*\n", .line(3)),
        ("\(least)application-group = other.a\n", .line(3)),
    ])
    func `a malformed file is refused`(text: String, defect: TeamFileDefect) throws {
        #expect(throws: defect) { try TeamFile.parse(Array(text.utf8)) }
    }

    @Test func `bytes that are not UTF-8 and long files are refused`() throws {
        #expect(throws: TeamFileDefect.notUTF8) { try TeamFile.parse(Array(Self.least.utf8) + [0xFF]) }
        #expect(throws: TeamFileDefect.tooLong) {
            try TeamFile.parse([UInt8](repeating: UInt8(ascii: "\n"), count: 65_537))
        }
    }

    @Test func `a defective file disables its team only`() throws {
        let directory = try TeamDirectory()
        try directory.write(team)
        let other = TeamIdentifier(of: Ed25519PrivateKey.random().publicKey)
        try directory.write("nonsense\n", to: TeamFile.name(of: other))
        try directory.write("nonsense\n", to: "README")
        let store = directory.store
        #expect(store.teams == [team])
        #expect(store.problems.map(\.file) == [TeamFile.name(of: other)])
        #expect(store.problems.map(\.defect) == [.line(1)])
    }

    @Test func `a user cannot replace a team that the administrator's defective file disables`() throws {
        let directory = try TeamDirectory()
        try directory.write("nonsense\n", to: TeamFile.name(of: team.identifier))
        var store = directory.store
        let isAdded = store.addUserTeam(team)
        #expect(!isAdded)
        #expect(store.teams.isEmpty)
    }

    @Test func `a file under another team's name is not used`() throws {
        let directory = try TeamDirectory()
        let other = TeamIdentifier(of: Ed25519PrivateKey.random().publicKey)
        try directory.write(TeamFile.text(of: team), to: TeamFile.name(of: other))
        #expect(directory.store.teams.isEmpty)
        #expect(directory.store.problems.map(\.defect) == [.otherName])
    }

    @Test(arguments: [0o664, 0o646, 0o666] as [mode_t])
    func `a file that others can write is not used`(mode: mode_t) throws {
        let directory = try TeamDirectory()
        try directory.write(TeamFile.text(of: team), to: TeamFile.name(of: team.identifier), mode: mode)
        #expect(directory.store.teams.isEmpty)
        #expect(directory.store.problems.map(\.defect) == [.writableByOthers])
    }

    @Test func `a file of another user is not used`() throws {
        let directory = try TeamDirectory()
        try directory.write(team)
        let store = TrustStore(directory: directory.path, owner: geteuid() &+ 1)
        #expect(store.teams.isEmpty)
        #expect(store.problems.map(\.defect) == [.writableByOthers])
    }

    @Test func `a directory that others can write is not used`() throws {
        let directory = try TeamDirectory()
        try directory.write(team)
        chmod(directory.path, 0o777)
        #expect(directory.store.teams.isEmpty)
        #expect(directory.store.problems.map(\.defect) == [.writableByOthers])
    }

    @Test func `a symbolic link, a FIFO and a directory are not used`() throws {
        let directory = try TeamDirectory()
        let path = directory.path + "/" + TeamFile.name(of: team.identifier)
        try directory.write(TeamFile.text(of: team), to: "elsewhere")
        symlink("elsewhere", path)
        #expect(directory.store.problems.map(\.defect) == [.notARegularFile])
        unlink(path)
        mkfifo(path, 0o644)
        #expect(directory.store.problems.map(\.defect) == [.notARegularFile])
        unlink(path)
        mkdir(path, 0o755)
        #expect(directory.store.problems.map(\.defect) == [.notARegularFile])
        #expect(directory.store.teams.isEmpty)
    }

    @Test func `a missing directory has no teams and no problems`() {
        let store = TrustStore(directory: "/nonexistent/teams.d")
        #expect(store.teams.isEmpty)
        #expect(store.problems.isEmpty)
    }
}
