// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainStore
import KeychainTestSupport

/// A system-wide `securityd` that runs as its own user and trusts the teams of a test.
final class SystemDaemon {
    /// The Unix user IDs with which tests run programs.
    enum User: UInt32 {
        /// The account `daemon`, which every Debian system has; the other users have no account.
        case account = 1
        case service = 64_001
        case alice = 64_002
        case bob = 64_003
    }

    static var isPossible: Bool { geteuid() == 0 }

    let directory: URL
    private(set) var child: ChildProcess

    var socketPath: String { directory.path + "/keychain/socket" }
    /// The daemon's address for a client in this process, which runs as root.
    var address: DaemonAddress { .ofUser(runtimeDirectory: directory.path) }
    var teams: URL { directory.appending(component: "teams") }
    var state: URL { directory.appending(component: "state") }

    private let arguments: [String]

    private init(_ arguments: [String], in directory: URL, _ prepare: (URL) throws -> Void) throws {
        self.directory = directory
        self.arguments = arguments
        // Other users must be able to reach the socket and the programs, but nothing else in the directory.
        chmod(directory.path, 0o711)
        try FileManager.default.createDirectory(
            at: directory.appending(component: "teams"),
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755]
        )
        try prepare(directory.appending(component: "teams"))
        child = try Self.start(arguments, in: directory)
    }

    /// Calls `body` with a running daemon; `prepare` first writes the files of the trusted teams.
    static func with<Result>(
        _ arguments: [String] = [],
        teams prepare: (URL) throws -> Void = { _ in },
        _ body: (SystemDaemon) throws -> Result
    ) throws -> Result {
        try TestTool.withDirectory { directory in
            let daemon = try SystemDaemon(arguments, in: directory, prepare)
            defer { daemon.child.end() }
            return try body(daemon)
        }
    }

    /// The arguments of a service that has all its files in a directory.
    static func arguments(in directory: URL) -> [String] {
        [
            "--system", "--as", "\(User.service.rawValue):\(User.service.rawValue)", "--socket",
            directory.path + "/keychain/socket",
            "--state", directory.path + "/state", "--teams", directory.path + "/teams",
            "--programs", directory.path + "/programs",
        ]
    }

    private static func start(
        _ arguments: [String],
        in directory: URL,
        environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let child = try ChildProcess(
            DaemonProcess.executable,
            Self.arguments(in: directory) + arguments,
            environment: environment
        )
        // Skip the lines that the daemon logs before it is ready, such as the unlocking of stores.
        while let line = try child.readLine() { if line.hasSuffix(": ready") { return child } }
        throw StartFailure(ending: child.end())
    }

    func send(_ signal: Int32) { kill(child.process, signal) }

    /// Returns a client in this process.
    func client() -> DaemonKeychain { DaemonKeychain(at: address, claim: NumberedItems.caller) }

    func restart(environment: [String: String] = [:]) throws {
        child = try Self.start(arguments, in: directory, environment: environment)
    }

    func run(
        _ program: String,
        _ arguments: [String] = [],
        as user: User,
        group: gid_t? = nil
    ) throws -> ChildProcess {
        let identity = [
            "--reuid", "\(user.rawValue)", "--regid", "\(group ?? user.rawValue)", "--clear-groups",
        ]
        return try ChildProcess(
            "/usr/bin/setpriv",
            identity + [program] + arguments,
            environment: [
                "KEYCHAIN_SOCKET": socketPath, "KEYCHAIN_BACKEND": "daemon", "PATH": "/usr/bin:/bin",
            ]
        )
    }

    /// Copies the test tool under another name; `change` gives the copy another digest.
    ///
    /// A child process makes the copy. A descriptor open for writing in this process could be inherited by a
    /// child of another test, and the kernel would then refuse to execute the file.
    func copyTool(_ name: String, change: Bool = false) throws -> String {
        try Self.copyTool(name, to: directory, change: change)
    }

    static func copyTool(_ name: String, to directory: URL, change: Bool = false) throws -> String {
        let path = directory.appending(component: name).path
        let script = "cp \"$0\" \"$1\" && chmod 755 \"$1\" && printf %s \"$2\" >> \"$1\""
        let arguments = ["-c", script, TestTool.executable, path, change ? name : ""]
        let copy = try ChildProcess("/bin/sh", arguments, environment: [:])
        defer { copy.end() }
        guard try copy.wait() == .exited(0) else { throw StartFailure(ending: copy.end()) }
        return path
    }
}
