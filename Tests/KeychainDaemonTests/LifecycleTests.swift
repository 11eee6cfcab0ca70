// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

@Suite struct LifecycleTests {
    @Test func `a program reconnects to a daemon that was stopped and started again`() throws {
        try DaemonProcess.with { daemon in
            let tool = try daemon.startTool()
            defer { tool.end() }
            #expect(try tool.ask("add canary canary-value") == "0")
            daemon.send(SIGTERM)
            #expect(try daemon.child.wait() == .exited(0))
            #expect(!FileManager.default.fileExists(atPath: daemon.socketPath))
            #expect(try tool.ask("copy canary") == "-25291 ")
            #expect(try tool.ask("failure").contains("securityd does not answer"))
            try daemon.restart()
            #expect(try tool.ask("copy canary") == "0 canary-value")
        }
    }

    @Test func `a program reconnects to a daemon that was killed`() throws {
        try DaemonProcess.with { daemon in
            let tool = try daemon.startTool()
            defer { tool.end() }
            #expect(try tool.ask("add canary canary-value") == "0")
            #expect(daemon.child.end() == .killed(SIGKILL))
            try daemon.restart()
            #expect(try tool.ask("copy canary") == "0 canary-value")
            #expect(try tool.ask("delete canary") == "0")
        }
    }

    @Test func `a call fails after its timeout if the daemon hangs`() throws {
        try DaemonProcess.with { daemon in
            let tool = try daemon.startTool()
            defer { tool.end() }
            #expect(try tool.ask("copy canary") == "-25300 ")
            daemon.send(SIGSTOP)
            #expect(try tool.ask("copy canary") == "-25291 ")
            #expect(try tool.ask("failure").contains("did not reply in time"))
            daemon.send(SIGCONT)
            #expect(try tool.ask("copy canary") == "-25300 ")
        }
    }

    @Test func `a second daemon at the same socket ends with a message`() throws {
        try DaemonProcess.with { daemon in
            let (line, ending) = try daemon.startAnother()
            #expect(line?.contains("another securityd listens") == true)
            #expect(ending == .exited(69))
            #expect(try daemon.client().daemonStatus().process == UInt32(daemon.child.process))
        }
    }

    @Test func `a daemon without connections ends after the idle time`() throws {
        try DaemonProcess.with(["--idle-exit", "1"]) { daemon in
            _ = try daemon.client().daemonStatus()
            #expect(try daemon.child.wait() == .exited(0))
        }
    }

    @Test(arguments: [
        [], ["--nonsense"], ["--user", "--socket"], ["--user", "--socket", "relative"],
        ["--user", "--idle-exit", "0"],
        ["--user", "--system"], ["--user", "--as", "1"], ["--user", "--state", "/nonexistent"],
        ["--user", "--teams", "/nonexistent"], ["--user", "--prompt-limit", "60"], ["--system", "--as", "0"],
        ["--system", "--as", "1:"],
        ["--system", "--state", "relative"],
    ])
    func `wrong arguments are a usage error`(arguments: [String]) throws {
        let child = try ChildProcess(DaemonProcess.executable, arguments, environment: [:])
        defer { child.end() }
        #expect(try child.readLine()?.hasPrefix("usage: securityd") == true)
        #expect(try child.wait() == .exited(64))
    }

    @Test func `the status counts connections, requests and failures`() throws {
        try DaemonProcess.with { daemon in
            let client = daemon.client()
            let first = try client.daemonStatus()
            #expect(first.connections == 1 && first.requests == 0)
            #expect(throws: StatusError.self) { try client.lock() }
            let second = try client.daemonStatus()
            #expect(second.requests == 2 && second.failures == 1 && second.longestNanoseconds > 0)
        }
    }

    @Test func `the service manager is told when the daemon is ready and when it stops`() throws {
        try TestTool.withDirectory { directory in
            let path = directory.path + "/notify"
            var address = sockaddr_un()
            var size = socklen_t()
            #expect(clinux_unix_address(path, &address, &size) == 0)
            let channel = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
            defer { close(channel) }
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(channel, $0, size) }
            }
            #expect(bound == 0)
            let child = try ChildProcess(
                DaemonProcess.executable,
                ["--user"],
                environment: [
                    "NOTIFY_SOCKET": path, "XDG_RUNTIME_DIR": directory.path,
                    "KEYCHAIN_HOME": directory.path + "/store",
                ]
            )
            defer { child.end() }
            #expect(Self.datagram(from: channel) == "READY=1")
            kill(child.process, SIGTERM)
            #expect(Self.datagram(from: channel) == "STOPPING=1")
        }
    }

    private static func datagram(from channel: CInt) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = recv(channel, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    }

    @Test func `a socket that the service manager passes is served and kept`() throws {
        try TestTool.withDirectory { directory in
            try FileManager.default.createDirectory(
                atPath: directory.path + "/keychain",
                withIntermediateDirectories: false
            )
            let address = DaemonAddress.ofUser(runtimeDirectory: directory.path)
            let listener = clinux_listen(address.path)
            try #require(listener >= 0)
            defer { close(listener) }
            // Passes the socket as descriptor 3 with `LISTEN_FDS`, as systemd does.
            #expect(fcntl(listener, F_SETFD, 0) == 0)
            let script = "exec 3<&\(listener) \(listener)<&-; LISTEN_FDS=1 LISTEN_PID=$$ exec \"$0\" --user"
            let environment = ["XDG_RUNTIME_DIR": directory.path, "KEYCHAIN_HOME": directory.path + "/store"]
            let client = DaemonKeychain(
                at: address,
                claim: Caller(applicationIdentifier: "test", accessGroups: ["test"])
            )
            for _ in 0..<2 {
                let child = try ChildProcess(
                    "/bin/bash",
                    ["-c", script, DaemonProcess.executable],
                    environment: environment
                )
                #expect(try client.daemonStatus().process == UInt32(child.process))
                kill(child.process, SIGTERM)
                #expect(try child.wait() == .exited(0))
                #expect(FileManager.default.fileExists(atPath: address.path))
            }
        }
    }
}
