// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainDaemon
import KeychainModel
import KeychainTestSupport
import Testing

/// Programs that the system service must not identify, and a `keychain-identify` that ends or hangs.
@Suite(.enabled(if: SystemDaemon.isPossible, "needs root"))
struct IdentificationTests {
    private static let hasUserNamespaces: Bool = {
        guard
            let child = try? ChildProcess(
                "/usr/bin/setpriv",
                [
                    "--reuid", "64002", "--regid", "64002", "--clear-groups", "/usr/bin/unshare", "-Urpf",
                    "true",
                ],
                environment: ["PATH": "/usr/bin:/bin"]
            )
        else { return false }
        defer { child.end() }
        return (try? child.wait()) == .exited(0)
    }()

    @Test(.enabled(if: hasUserNamespaces, "users may not create user namespaces here"))
    func `a process in a user namespace is refused, because the namespace's owner can act as the process`()
        throws
    {
        try SystemDaemon.with { daemon in
            let script = Self.handshake.replacing("SOCKET", with: daemon.socketPath)
            let (welcome, refused) = (FrameKind.welcome.rawValue, FrameKind.refused.rawValue)
            for (options, kind) in [([], welcome), (["-Ur"], refused), (["-Urpf"], refused)]
                as [([String], UInt8)]
            {
                let program = options.isEmpty ? "/usr/bin/env" : "/usr/bin/unshare"
                let child = try daemon.run(program, options + ["/usr/bin/python3", "-c", script], as: .alice)
                defer { child.end() }
                #expect(try child.readLines() == ["\(kind)"], "\(options)")
            }
        }
    }

    /// `flatpak run` starts programs in a PID namespace of their own.
    ///
    /// Here root creates it, so that the process stays in the user namespace of the daemon.
    @Test func `a process in a PID namespace of its own is refused`() throws {
        try SystemDaemon.with { daemon in
            let script = Self.handshake.replacing("SOCKET", with: daemon.socketPath)
            let user = "\(SystemDaemon.User.alice.rawValue)"
            let program = [
                "/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups", "/usr/bin/python3",
                "-c", script,
            ]
            for (options, kind) in [([], FrameKind.welcome), (["--pid", "--fork"], .refused)] {
                let child = try ChildProcess(
                    options.isEmpty ? "/usr/bin/env" : "/usr/bin/unshare",
                    options + program,
                    environment: ["PATH": "/usr/bin:/bin"]
                )
                defer { child.end() }
                #expect(try child.readLines() == ["\(kind.rawValue)"], "\(options)")
            }
        }
    }

    /// `keychain-identify` must not test with signal 0 whether another user's process exists: that requires `CAP_KILL`,
    /// which the systemd unit does not grant.
    @Test func `keychain-identify needs only the user and the two capabilities of its systemd unit`() throws {
        try TestTool.withDirectory { directory in
            chmod(directory.path, 0o711)
            let capabilities = "-all,+sys_ptrace,+dac_read_search"
            let path = try Self.identifyScript(
                """
                --reuid 64004 --regid 64004 --clear-groups --inh-caps=\(capabilities) \
                --ambient-caps=\(capabilities) --bounding-set=\(capabilities)
                """,
                in: directory
            )
            try SystemDaemon.with(["--identify", path]) { daemon in
                let handshake = Self.handshake.replacing("SOCKET", with: daemon.socketPath)
                let child = try daemon.run("/usr/bin/python3", ["-c", handshake], as: .alice)
                defer { child.end() }
                #expect(try child.readLines() == ["\(FrameKind.welcome.rawValue)"])
            }
        }
    }

    /// Writes a script that starts `keychain-identify` with options of `setpriv`; returns its path.
    private static func identifyScript(_ options: String, in directory: URL) throws -> String {
        let path = directory.appending(component: "identify").path
        let identify = URL(filePath: DaemonProcess.executable).deletingLastPathComponent().path
        let script = "#!/bin/sh\nexec /usr/bin/setpriv \(options) \(identify)/keychain-identify \"$@\"\n"
        // A child process writes the script, as in `SystemDaemon.copyTool`.
        let writing = "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\""
        let copy = try ChildProcess("/bin/sh", ["-c", writing, path, script], environment: [:])
        defer { copy.end() }
        try #require(try copy.wait() == .exited(0))
        return path
    }

    @Test func `without systemd, keychain-identify gives up all capabilities that it does not need`() throws {
        try SystemDaemon.with { daemon in
            // It has restricted itself before it answers the first request.
            #expect(try daemon.security(["doctor"], as: .alice).text.contains("level: digest"))
            // CAP_DAC_READ_SEARCH and CAP_SYS_PTRACE.
            try Self.expectCapabilities(1 << 2 | 1 << 19, of: daemon)
        }
    }

    /// Docker grants neither of the two capabilities by default.
    @Test func `keychain-identify also runs if root lacks capabilities that it would keep`() throws {
        try TestTool.withDirectory { directory in
            chmod(directory.path, 0o711)
            let path = try Self.identifyScript("--bounding-set=-sys_ptrace", in: directory)
            try SystemDaemon.with(["--identify", path]) { daemon in
                let handshake = Self.handshake.replacing("SOCKET", with: daemon.socketPath)
                let child = try daemon.run("/usr/bin/python3", ["-c", handshake], as: .alice)
                defer { child.end() }
                #expect(try child.readLines() == ["\(FrameKind.refused.rawValue)"])
                try Self.expectCapabilities(1 << 2, of: daemon)
            }
        }
    }

    private static func expectCapabilities(_ kept: Int, of daemon: SystemDaemon) throws {
        let identify = try #require(try Self.identify(of: daemon))
        let status = try KernelFile.text("/proc/\(identify)/status").split(separator: "\n")
        let digits = String(kept, radix: 16)
        for (name, value) in [
            ("CapInh", "0"), ("CapPrm", digits), ("CapEff", digits), ("CapBnd", "0"), ("CapAmb", "0"),
            ("NoNewPrivs", "1"),
        ] {
            let line = try #require(status.first { $0.hasPrefix(name + ":") })
            let number = try #require(line.split(separator: "\t").last)
            let padding = String(repeating: "0", count: max(number.count - value.count, 0))
            #expect(number == padding + value, "\(line)")
        }
    }

    /// A Python program that connects, answers the daemon's first message, and prints the kind of the next one.
    ///
    /// It does not use the library, which would refuse the daemon: a user namespace lacks the daemon's user.
    private static let handshake = """
        import socket, struct
        s = socket.socket(socket.AF_UNIX)
        s.connect('SOCKET')
        def read():
            head = s.recv(16, socket.MSG_WAITALL)
            size, _, kind, _, _ = struct.unpack('<IQBBH', head)
            return kind, s.recv(size - 12, socket.MSG_WAITALL) if size > 12 else b''
        nonce = read()[1][8:24]
        body = b'KCC1' + struct.pack('<H', 1) + nonce + bytes(4) + struct.pack('<I', 1) + b'x' + bytes(4)
        s.sendall(struct.pack('<IQBBH', 12 + len(body), 0, 2, 0, 0) + body)
        print(read()[0], flush=True)
        """

    @Test func `the daemon exits when keychain-identify has ended`() throws {
        try SystemDaemon.with { daemon in
            let identify = try #require(try Self.identify(of: daemon))
            kill(identify, SIGKILL)
            let client = try daemon.run(try daemon.copyTool("client"), as: .alice)
            defer { client.end() }
            #expect(try client.ask("add canary canary-value") != "0")
            #expect(try daemon.child.wait() == .exited(69))
        }
    }

    @Test func `a late answer about one program is not used for another`() throws {
        let team = TestTeam()
        try SystemDaemon.with(teams: { try team.trust(in: $0) }) { daemon in
            let (signed, unsigned) = (
                try daemon.copyTool("signed"), try daemon.copyTool("unsigned", change: true)
            )
            try team.sign(signed, groups: ["shared"])
            let identify = try #require(try Self.identify(of: daemon))
            kill(identify, SIGSTOP)
            let first = try daemon.run(signed, as: .alice)
            defer { first.end() }
            #expect(try first.ask("add canary canary-value") == "-25291")
            kill(identify, SIGCONT)
            let second = try daemon.run(unsigned, as: .alice)
            defer { second.end() }
            #expect(try second.ask("add canary canary-value \(team.identifier).shared") == "-34018")
            #expect(try first.ask("add canary canary-value") == "0")
            #expect(try second.ask("copy canary") == "-25300 ")
        }
    }

    private static func identify(of daemon: SystemDaemon) throws -> pid_t? {
        let process = daemon.child.process
        let children = try KernelFile.text("/proc/\(process)/task/\(process)/children")
        return children.split(separator: " ").first.flatMap { pid_t($0) }
    }

    @Test func `a group that is a user's primary group does not identify a team's programs`() throws {
        let user = try #require(getpwuid(1), "every Debian system has the user with the ID 1")
        let group = try #require(getgrgid(user.pointee.pw_gid))
        let (name, number) = (String(cString: group.pointee.gr_name), group.pointee.gr_gid)
        let team = TestTeam()
        try SystemDaemon.with(
            teams: { try team.trust(in: $0, group: name, minimumLevel: .group) }
        ) { daemon in
            let program = try daemon.copyTool("signed")
            try team.sign(program, groups: ["shared"])
            let child = try daemon.run(program, as: .alice, group: number)
            defer { child.end() }
            #expect(try child.ask("add canary canary-value \(team.identifier).shared") == "-34018")
            for command in ["daemon-status", "doctor"] {
                let text = try daemon.security([command], as: .alice).text
                #expect(text.contains("\(name): a system group identifies no program"), "\(text)")
                #expect(!text.contains("primary group"), "only root may see the reason")
            }
        }
    }

    @Test func `a program whose executable was deleted has no access group, and cannot lock the keychain`()
        throws
    {
        try SystemDaemon.with { daemon in
            let program = try daemon.copyTool("deleted")
            let child = try daemon.run(program, as: .alice)
            defer { child.end() }
            #expect(try child.ask("cd /") == "0")
            unlink(program)
            #expect(try child.ask("lock") == "-34018")
        }
    }
}

@Suite struct LocalFileSystemTests {
    private static let table = """
        21 26 0:20 / /sys rw,nosuid - sysfs sysfs rw
        26 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw
        40 26 0:41 / /home/alice/mount rw,nosuid - fuse.sshfs alice@host: rw
        41 26 0:42 / /mnt/a rw,nosuid - nfs4 host:/a rw
        42 26 0:43 / /tmp rw - tmpfs tmpfs rw
        43 26 0:44 / /mnt/-\\040ext4 rw - fuseblk - ext4
        44 26 broken

        """

    @Test(arguments: [
        ("26", true), ("42", true), ("21", false), ("40", false), ("41", false), ("43", false), ("44", false),
        ("2", false), ("99", false),
    ])
    func `only an executable on a local file system is trusted`(mount: String, isLocal: Bool) {
        #expect(LocalFileSystems.isLocal(mount: mount, in: Array(Self.table.utf8)) == isLocal)
    }
}

@Suite(.enabled(if: SystemDaemon.isPossible, "needs root"))
struct ServiceAccountTests {
    /// Starts `securityd --system --as ACCOUNT`; `mask` is the file mode mask that it inherits.
    private static func start(
        _ account: String,
        in directory: URL,
        mask: String = "022"
    ) throws -> ChildProcess {
        chmod(directory.path, 0o711)
        return try ChildProcess(
            "/bin/sh",
            [
                "-c", "umask \(mask) && exec \"$0\" \"$@\"", DaemonProcess.executable,
                "--system", "--as", account, "--socket", directory.path + "/run/socket",
                "--state", directory.path + "/state", "--teams", directory.path + "/teams",
            ],
            environment: [:]
        )
    }

    @Test func `a user without an account needs a group`() throws {
        try TestTool.withDirectory { directory in
            let child = try Self.start("64009", in: directory)
            defer { child.end() }
            #expect(try child.wait() == .exited(69))
        }
    }

    @Test func `other users reach the socket of a service that inherits the file mode mask 077`() throws {
        try TestTool.withDirectory { directory in
            let child = try Self.start("64001:64001", in: directory, mask: "077")
            defer { child.end() }
            #expect(try child.readLine()?.hasSuffix(": ready") == true)
            let socket = directory.path + "/run/socket"
            let arguments = ["--reuid", "64002", "--regid", "64002", "--clear-groups", "/usr/bin/test", "-w"]
            let reader = try ChildProcess("/usr/bin/setpriv", arguments + [socket], environment: [:])
            defer { reader.end() }
            #expect(try reader.wait() == .exited(0))
        }
    }

    @Test func `the service gets the primary group of its user`() throws {
        var found: (user: uid_t, group: gid_t)?
        setpwent()
        while let entry = getpwent() {
            let (user, group) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
            if user != 0, group != 0, user != group { found = (user, group) }
        }
        endpwent()
        guard let found else {
            try Test.cancel("no user of this machine has a primary group with another ID")
        }
        try TestTool.withDirectory { directory in
            let child = try Self.start("\(found.user)", in: directory)
            defer { child.end() }
            #expect(try child.readLine()?.hasSuffix(": ready") == true)
            let status = try KernelFile.text("/proc/\(child.process)/status")
            let groups = try #require(status.split(separator: "\n").first { $0.hasPrefix("Gid:") })
            #expect(
                groups.split(whereSeparator: \.isWhitespace).dropFirst().allSatisfy { $0 == "\(found.group)" }
            )
        }
    }
}
