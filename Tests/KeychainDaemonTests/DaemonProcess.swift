// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport

struct StartFailure: Error {
    let ending: ChildProcess.Ending
}

/// A `securityd` process with a store and a socket in a temporary directory.
final class DaemonProcess {
    /// The path of `securityd`, which is in the directory of the test tool.
    static let executable = URL(filePath: TestTool.executable).deletingLastPathComponent()
        .appending(component: "securityd").path

    let directory: URL
    private(set) var child: ChildProcess
    private let arguments: [String]

    var store: URL { directory.appending(component: "store") }
    var socketPath: String { directory.path + "/keychain/socket" }
    var address: DaemonAddress { .ofUser(runtimeDirectory: directory.path) }

    private init(in directory: URL, _ arguments: [String]) throws {
        self.directory = directory
        self.arguments = ["--user"] + arguments
        child = try Self.start(self.arguments, in: directory)
    }

    static func with<Result>(
        _ arguments: [String] = [],
        _ body: (DaemonProcess) throws -> Result
    ) throws -> Result {
        try TestTool.withDirectory { directory in
            let daemon = try DaemonProcess(in: directory, arguments)
            defer { daemon.child.end() }
            return try body(daemon)
        }
    }

    private static func environment(of directory: URL) -> [String: String] {
        ["XDG_RUNTIME_DIR": directory.path, "KEYCHAIN_HOME": directory.appending(component: "store").path]
    }

    private static func start(_ arguments: [String], in directory: URL) throws -> ChildProcess {
        let child = try ChildProcess(executable, arguments, environment: environment(of: directory))
        guard let line = try child.readLine(), line.hasSuffix(": ready") else {
            throw StartFailure(ending: child.end())
        }
        return child
    }

    func restart() throws { child = try Self.start(arguments, in: directory) }

    /// Starts the daemon again; returns the lines that it logs before it is ready.
    func restart(environment: [String: String]) throws -> [String] {
        let all = Self.environment(of: directory).merging(environment) { $1 }
        child = try ChildProcess(Self.executable, arguments, environment: all)
        var lines: [String] = []
        while let line = try child.readLine() {
            if line.hasSuffix(": ready") { return lines }
            lines.append(line)
        }
        throw StartFailure(ending: child.end())
    }

    /// Starts a second daemon for the same socket, and returns its first line of output and how it ended.
    func startAnother() throws -> (line: String?, ending: ChildProcess.Ending) {
        let other = try ChildProcess(
            Self.executable,
            arguments,
            environment: Self.environment(of: directory)
        )
        defer { other.end() }
        return (try other.readLine(), try other.wait())
    }

    /// Sends a signal to the daemon; after SIGSTOP, waits until all of its threads have stopped.
    func send(_ signal: Int32) {
        kill(child.process, signal)
        guard signal == SIGSTOP else { return }
        var status = siginfo_t()
        while waitid(P_PID, id_t(child.process), &status, WSTOPPED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// Returns a client in this process that claims these access groups.
    func client(_ groups: [String] = ["TEAM.app"]) -> DaemonKeychain {
        DaemonKeychain(at: address, claim: Caller(applicationIdentifier: "TEAM.test", accessGroups: groups))
    }

    /// Calls `body`, during which the API's functions use the daemon.
    func run<Result>(as groups: [String] = ["TEAM.app"], _ body: () throws -> Result) throws -> Result {
        try client(groups).run(body)
    }

    /// Starts the test tool as a client of the daemon.
    ///
    /// If the test tool wrongly opened a store in its own process, the store would be in the directory
    /// `unused`.
    func startTool(groups: [String] = ["TEAM.app"]) throws -> ChildProcess {
        try TestTool.start(
            over: directory.appending(component: "unused"),
            groups: groups,
            environment: ["XDG_RUNTIME_DIR": directory.path, "KEYCHAIN_BACKEND": "daemon"]
        )
    }
}
