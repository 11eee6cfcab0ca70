// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSync
import KeychainTestSupport
import Testing

/// The file to which an agent writes its events.
struct LogFile {
    let path: String

    var lines: [String] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    /// Waits until this many lines contain a text; records an issue if they do not within a minute.
    func waits(for text: String, count: Int = 1) async throws {
        for _ in 0..<600 {
            if lines.count(where: { $0.contains(text) }) >= count { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("\(count) lines do not contain \(text): \(lines)")
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }
}

/// Runs programs of the build, such as `security` and `keychain-sync`, with an environment and as a user.
struct Program {
    struct Failure: Error {
        let lines: [String]
        let ending: ChildProcess.Ending
    }

    /// The programs are in the directory of the test tool.
    static let folder = URL(filePath: TestTool.executable).deletingLastPathComponent().path
    /// The program `keychain-sync`: that of the build, or a release build that is measured.
    private static let agent =
        ProcessInfo.processInfo.environment["KEYCHAIN_SYNC_PROGRAM"] ?? folder + "/keychain-sync"

    var environment: [String: String]
    /// The user and group of the processes; `nil` for those of this process.
    var user: UInt32?

    init(_ environment: [String: String], as user: UInt32? = nil) {
        self.environment = ["PATH": "/usr/bin:/bin", "KEYCHAIN_PINENTRY": ""].merging(environment) { $1 }
        self.user = user
    }

    func start(_ name: String, _ arguments: [String]) throws -> ChildProcess {
        let identity = user.map {
            ["/usr/bin/setpriv", "--reuid", "\($0)", "--regid", "\($0)", "--clear-groups"]
        }
        let path = name == "keychain-sync" ? Self.agent : Self.folder + "/" + name
        let words = (identity ?? []) + [path] + arguments
        return try ChildProcess(words[0], Array(words.dropFirst()), environment: environment, at: .noTerminal)
    }

    @discardableResult
    func run(_ name: String, _ arguments: [String], input: String? = nil) throws -> String {
        let child = try start(name, arguments)
        defer { child.end() }
        if let input { try child.send(input) }
        child.finishInput()
        let lines = try child.readLines()
        let ending = try child.wait()
        guard ending == .exited(0) else { throw Failure(lines: lines, ending: ending) }
        return lines.joined(separator: "\n")
    }

    func startDaemon(_ arguments: [String]) throws -> ChildProcess {
        let child = try start("securityd", arguments)
        while let line = try child.readLine() { if line.hasSuffix(": ready") { return child } }
        throw Failure(lines: [], ending: child.end())
    }

    func add(_ account: String, _ password: String) throws {
        try run(
            "security",
            ["add-generic-password", "--synchronizable", "-U", "-s", "service", "-a", account, "-w"],
            input: password
        )
    }

    func password(_ account: String) -> String? {
        try? run(
            "security",
            ["find-generic-password", "--synchronizable", "-s", "service", "-a", account, "-w"]
        )
    }

    /// Waits until an account has this password; returns false if it does not within a minute.
    func waits(for password: String, of account: String) async throws -> Bool {
        for _ in 0..<600 {
            if self.password(account) == password { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    func create(_ server: EtcdServer) throws {
        try run("keychain-sync", ["create", "--endpoint", server.configuration.endpoints[0]])
    }

    func join(_ other: Program, _ server: EtcdServer) throws {
        let inviting = try other.start("keychain-sync", ["invite", "--yes"])
        defer { inviting.end() }
        let code = try inviting.readLine() ?? ""
        try run("keychain-sync", ["join", "-", "--endpoint", server.configuration.endpoints[0]], input: code)
        _ = try inviting.wait()
    }

    func startAgent() throws -> ChildProcess { try start("keychain-sync", ["run"]) }

    /// Starts an agent that writes its events to a file.
    func startAgent(logging log: LogFile) throws -> ChildProcess {
        try ChildProcess(
            "/bin/sh",
            ["-c", "exec '\(Self.agent)' run 2>'\(log.path)'"],
            environment: environment
        )
    }
}
