// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainModel
import KeychainTestSupport
import Testing

/// A program that `security codesign install` has installed with its team's group, on a system of its own: a mount
/// namespace with the standard paths of the daemon.
@Suite(.enabled(if: SystemDaemon.isPossible, "needs root"))
struct InstalledProgramTests {
    private static let program = "/usr/local/program"
    private static let notFound = "-25300 "

    private struct System {
        let namespace: MountNamespace
        let daemon: ChildProcess
        let directory: URL
        let team: TestTeam

        var state: String { directory.path + "/state" }

        /// Starts the program as a user, with variables that must not divert it from the system service.
        func startProgram(preloading library: String? = nil) throws -> ChildProcess {
            let trap = directory.path + "/trap"
            // `env` sets the variable, because `nsenter` and `setpriv` would load the library, too.
            return try namespace.start(
                "/usr/bin/env",
                ["LD_PRELOAD=\(library ?? trap + "/library.so")", program],
                as: .alice,
                environment: [
                    "KEYCHAIN_BACKEND": "embedded", "KEYCHAIN_HOME": trap + "/store",
                    "KEYCHAIN_SOCKET": trap + "/socket", "KEYCHAIN_ENTITLEMENTS": trap + "/entitlements",
                    "KEYCHAIN_PINENTRY": trap + "/pinentry", "XDG_RUNTIME_DIR": trap,
                    "XDG_DATA_HOME": trap, "HOME": trap,
                ]
            )
        }
    }

    private static func withSystem(_ body: (System) throws -> Void) throws {
        let team = TestTeam()
        try TestTool.withDirectory { directory in
            chmod(directory.path, 0o711)
            // With set-group-ID, the dynamic loader ignores `$ORIGIN`, and `codesign install` refuses it.
            let source = try SystemDaemon.copyTool("program", to: directory)
            let edit = try ChildProcess(
                "/bin/sed",
                ["-i", #"s#\$ORIGIN#/absent#g"#, source],
                environment: [:]
            )
            defer { edit.end() }
            try #require(try edit.wait() == .exited(0))
            try team.sign(source, groups: ["shared"])
            try team.trust(in: directory, group: "keychain-test", minimumLevel: .group)
            let namespace = try MountNamespace(files, in: directory)
            defer { namespace.end() }
            try namespace.run(
                "'\(SecurityCommand.executable)' codesign install -d /usr/local \"$0/program\" 2>&1",
                in: directory
            )
            let daemon = try namespace.startDaemon(["--state", directory.path + "/state"])
            defer { daemon.end() }
            try body(System(namespace: namespace, daemon: daemon, directory: directory, team: team))
        }
    }

    /// Shell commands that replace `/etc`, `/run` and `/usr/local`.
    private static let files = """
        cp -a /etc "$0/etc"
        mkdir -p "$0/etc/keychain/teams.d"
        chmod 755 "$0/etc" "$0/etc/keychain" "$0/etc/keychain/teams.d"
        mv "$0"/*.team "$0/etc/keychain/teams.d"
        echo 'keychain-test:x:64321:' >>"$0/etc/group"
        echo 'keychain-test:!::' >>"$0/etc/gshadow"
        sed -i '/^keychain-identify:/d' "$0/etc/passwd"
        echo 'keychain-identify:x:64004:64004::/:/usr/sbin/nologin' >>"$0/etc/passwd"
        mkdir -m 777 "$0/trap"
        chmod 777 "$0/trap"
        mount --bind "$0/etc" /etc
        mount -t tmpfs -o mode=755 none /run
        mount -t tmpfs -o mode=755 none /usr/local
        """

    @Test func `an installed program reaches the level group, and ignores the variables of its environment`()
        throws
    {
        try Self.withSystem { system in
            let child = try system.startProgram()
            defer { child.end() }
            #expect(try child.ask("add canary canary-value") == "0")
            #expect(try child.ask("copy canary") == "0 canary-value")
            #expect(try child.ask("group canary") == "\(system.team.identifier).shared")
            let level = try AuditLevel.last(of: "\(system.team.identifier).app", in: system.state + "/audit")
            #expect(level == "group")
            let daemon = system.daemon.process
            let identify = try KernelFile.text("/proc/\(daemon)/task/\(daemon)/children")
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let status = try KernelFile.text("/proc/\(identify)/status")
            #expect(status.contains("\nUid:\t64004\t64004\t64004\t64004\n"), "the user keychain-identify")
            let trap = system.directory.path + "/trap"
            #expect(try FileManager.default.contentsOfDirectory(atPath: trap).isEmpty)
            // The source of the installed executable has the same signature, but not the Unix group.
            let other = try system.namespace.start(system.directory.path + "/program", as: .alice)
            defer { other.end() }
            #expect(try other.ask("copy canary") == Self.notFound)
        }
    }

    @Test func `another program of the user cannot get into an installed program that the daemon serves`()
        throws
    {
        try Self.withSystem { system in
            let library = try PreloadedLibrary.make(in: system.directory.appending(component: "trap"))
            let child = try system.startProgram(preloading: library)
            defer { child.end() }
            #expect(try child.ask("add canary canary-value") == "0")
            let environment = ["KEYCHAIN_SOCKET": "/run/keychain/socket"]
            // The source of the installed executable loads the library.
            let source = try system.namespace.start(
                "/usr/bin/env",
                ["LD_PRELOAD=\(library)", system.directory.path + "/program"],
                as: .alice
            )
            defer { source.end() }
            #expect(try source.ask("copy canary") == "preloaded")
            for attack in [AttackScripts.traces, AttackScripts.takesDescriptor] {
                let attempts = [
                    [AttackScripts.access(attack), "\(child.process)"],
                    [AttackScripts.accessToChild(attack), Self.program, "canary"],
                ]
                for arguments in attempts {
                    let attacker = try system.namespace.start(
                        "/usr/bin/python3",
                        ["-c"] + arguments,
                        as: .alice,
                        environment: environment
                    )
                    defer { attacker.end() }
                    #expect(try attacker.readLine() == "denied", "\(arguments)")
                }
            }
            #expect(try child.ask("copy canary") == "0 canary-value")
        }
    }

    @Test(arguments: [
        "sed -i 's/^keychain-test:!/keychain-test:$6$hash/' /etc/gshadow",
        "sed -i 's/^keychain-test:x:64321:/&daemon/' /etc/group",
        "sed -i 's/^keychain-test:!::/&daemon/' /etc/gshadow",
        "echo 'late:x:64009:64321::/:/bin/sh' >>/etc/passwd",
    ])
    func `a group that users can join after the installation identifies no program after a reload`(
        change: String
    ) throws {
        try Self.withSystem { system in
            let child = try system.startProgram()
            defer { child.end() }
            #expect(try child.ask("add canary canary-value") == "0")
            try system.namespace.run(change, in: system.directory)
            kill(system.daemon.process, SIGHUP)
            var answer = try child.ask("copy canary")
            for _ in 0..<10_000 where answer.hasPrefix("0") { answer = try child.ask("copy canary") }
            #expect(answer == Self.notFound)
        }
    }
}
