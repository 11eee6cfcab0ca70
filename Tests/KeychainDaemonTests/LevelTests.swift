// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

@Suite struct UserServiceLevelTests {
    @Test func `the user service names its level to the program and to security doctor`() throws {
        try DaemonProcess.with { daemon in
            #expect(try daemon.client().identity().level == .userService)
            #expect(try daemon.client().daemonStatus().level == .userService)
            try daemon.run { () throws in #expect(try SystemKeychain.callerLevel() == .userService) }
            let doctor = try daemon.security(["doctor"])
            #expect(doctor.text.contains("level: user-service: "))
        }
    }

    @Test func `an item that requires a higher level is refused`() throws {
        try DaemonProcess.with { daemon in
            for level in ["digest", "sandbox", "group"] {
                let added = try daemon.security(
                    [
                        "add-generic-password", "-s", "canary", "-a", level, "--access-control",
                        "level-\(level)", "-w",
                    ],
                    input: "canary-value"
                )
                #expect(added.text.contains("level of identification") && !added.isSuccess)
            }
        }
    }
}

@Suite(.enabled(if: SystemDaemon.isPossible, "needs root"))
struct LevelTests {
    private static func level(of text: String) -> String? {
        text.split(separator: "\n").first { $0.contains("level: ") }
            .flatMap { $0.split(separator: ":").dropFirst().first }
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    @Test func `an unsigned program reaches the level digest`() throws {
        try SystemDaemon.with { daemon in
            let doctor = try daemon.security(["doctor"], as: .alice)
            #expect(Self.level(of: doctor.text) == "digest")
        }
    }

    @Test func `an item with a minimum level is used at that level, and refused below it`() throws {
        try SystemDaemon.with { daemon in
            let control = ["--access-control", "level-digest"]
            let added = try daemon.security(
                ["add-generic-password", "-s", "canary", "-a", "canary"] + control + ["-w"],
                as: .alice,
                input: "canary-value"
            )
            #expect(added.isSuccess, "\(added.text)")
            let found = try daemon.security(
                ["find-generic-password", "-s", "canary", "-w"],
                as: .alice
            )
            #expect(found.text == "canary-value")
            let refused = try daemon.security(
                [
                    "add-generic-password", "-s", "canary", "-a", "other", "--access-control", "level-group",
                    "-w",
                ],
                as: .alice,
                input: "canary-value"
            )
            #expect(!refused.isSuccess && refused.text.contains("level of identification"))
        }
    }

    /// A shell script that runs a program in a root directory with a Flatpak application's information file.
    private static let flatpak = """
        root=$1 uid=$2; shift 2
        mount -t tmpfs tmpfs "$root"
        for name in /*; do
            if [ -L "$name" ]; then cp -P "$name" "$root$name"
            elif [ -d "$name" ]; then mkdir "$root$name" && mount --rbind "$name" "$root$name"; fi
        done
        printf '[Application]\\nname=org.example.Mail\\n' > "$root/.flatpak-info"
        exec chroot "$root" setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"
        """

    @Test func `a signed program in a Flatpak reaches the level sandbox`() throws {
        let team = TestTeam()
        try SystemDaemon.with(
            teams: { try team.trust(in: $0, minimumLevel: .sandbox, sandboxes: ["flatpak:org.example.Mail"]) }
        ) { daemon in
            let program = try daemon.copyTool("signed")
            try team.sign(program, groups: ["shared"])
            let root = daemon.directory.appending(component: "root")
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
            let confined = try ChildProcess(
                "/usr/bin/unshare",
                [
                    "--mount", "--propagation", "private", "/bin/sh", "-ec", Self.flatpak, "sh", root.path,
                    "\(SystemDaemon.User.alice.rawValue)", program,
                ],
                environment: [
                    "KEYCHAIN_SOCKET": daemon.socketPath, "KEYCHAIN_BACKEND": "daemon",
                    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                ]
            )
            defer { confined.end() }
            let free = try daemon.run(program, as: .alice)
            defer { free.end() }
            #expect(try confined.ask("add canary canary-value") == "0")
            #expect(try confined.ask("group canary").hasSuffix("\(team.identifier).shared"))
            // Outside the sandbox, the program does not get the team's access group.
            #expect(try free.ask("copy canary") == "-25300 ")
        }
    }
}
