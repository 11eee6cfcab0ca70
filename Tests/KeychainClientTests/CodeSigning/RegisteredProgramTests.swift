// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainTestSupport
import Testing

/// The administrator's lists of programs that keep their access group when they are updated.
@Suite struct RegisteredProgramTests {
    @Test(arguments: [
        ("/usr/bin/security\n# a comment\n\n/usr/libexec/a b\n", ["/usr/bin/security", "/usr/libexec/a b"]),
        ("", []), ("/usr/bin/security", ["/usr/bin/security"]),
    ])
    func `a list has a path on each line`(text: String, paths: [String]) throws {
        #expect(try RegisteredPrograms.parse(Array(text.utf8)) == paths)
    }

    @Test(arguments: [
        "security", "./security", "/usr/../bin/security", "/usr/./security", "/usr//security", "/usr/bin/",
        "/", " /usr/bin/security", "/usr/bin/security ", "/usr/bin/*", "/usr/bin/a\r", "/usr/bin/\u{202E}a",
        "/" + String(repeating: "a", count: 320),
    ])
    func `a line that the kernel cannot report as a path is a defect of the list`(line: String) {
        #expect(throws: TeamFileDefect.line(2)) {
            try RegisteredPrograms.parse(Array("/usr/bin/security\n\(line)\n".utf8))
        }
    }

    @Test func `bytes that are not UTF-8, and too many bytes, are defects`() {
        #expect(throws: TeamFileDefect.notUTF8) { try RegisteredPrograms.parse([0x2F, 0xFF]) }
        #expect(throws: TeamFileDefect.tooLong) {
            try RegisteredPrograms.parse([UInt8](repeating: 0x0A, count: 65_537))
        }
    }

    @Test func `a list that another user owns or can write is not used`() throws {
        try TestTool.withDirectory { directory in
            for (name, mode) in [("a", 0o644), ("b", 0o664), ("c", 0o644)] as [(String, mode_t)] {
                let file = directory.appending(component: name + ".programs")
                try "/usr/bin/\(name)\n".write(to: file, atomically: false, encoding: .utf8)
                chmod(file.path, mode)
            }
            try FileManager.default.moveItem(
                at: directory.appending(component: "c.programs"),
                to: directory.appending(component: "c.list")
            )
            let programs = RegisteredPrograms(directory: directory.path, owner: geteuid())
            #expect(programs.paths == ["/usr/bin/a"])
            #expect(programs.problems.map(\.file) == ["b.programs"])
            let others = RegisteredPrograms(directory: directory.path, owner: geteuid() + 1)
            #expect(others.paths.isEmpty && !others.problems.isEmpty)
            #expect(RegisteredPrograms(directory: directory.path + "/missing").problems.isEmpty)
        }
    }

    @Test(arguments: [
        ("unsigned.ABCDEFGHIJKLMNOP", true, true), ("program:/usr/bin/security", true, true),
        ("ABCDEFGHIJKLMNOP.shared", false, true), ("ABCDEFGHIJKLMNOP.", false, false),
        ("ABCDEFGHIJKLMNOP", false, false), ("unsigned.abc", false, false),
        ("program:security", false, false),
        ("keychain.user-teams", false, false), ("group.common", false, false), ("*", false, false),
        ("", false, false), ("com.apple.token", false, false),
    ])
    func `items move from the groups of unsigned programs only, and to these or to those of a team`(
        group: String,
        isPrivate: Bool,
        isTarget: Bool
    ) {
        #expect(PrivateGroup.contains(group) == isPrivate)
        #expect(PrivateGroup.canBeAdopted(by: group) == isTarget)
    }
}
