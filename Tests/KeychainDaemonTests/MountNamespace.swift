// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport

/// A mount namespace of a test, which a waiting child process keeps.
final class MountNamespace {
    private let holder: ChildProcess

    /// Makes the namespace, and runs a shell script as root in it, whose `$0` is a directory of the test.
    init(_ script: String, in directory: URL) throws {
        let commands = "set -e; { \(script); } >/dev/null; echo ready; exec cat"
        holder = try ChildProcess(
            "/usr/bin/unshare",
            ["--mount", "--propagation", "private", "/bin/sh", "-c", commands, directory.path],
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        )
        guard try holder.readLine() == "ready" else { throw StartFailure(ending: holder.end()) }
    }

    /// Ends the process that keeps the namespace.
    func end() { holder.end() }

    /// The path by which this process reaches a file of the namespace.
    func path(_ path: String) -> String { "/proc/\(holder.process)/root" + path }

    /// Starts a program in the namespace, as root or as a user.
    func start(
        _ program: String,
        _ arguments: [String] = [],
        as user: SystemDaemon.User? = nil,
        environment: [String: String] = [:]
    ) throws -> ChildProcess {
        let identity = user.map { user in
            [
                "/usr/bin/setpriv", "--reuid", "\(user.rawValue)", "--regid", "\(user.rawValue)",
                "--clear-groups",
            ]
        }
        return try ChildProcess(
            "/usr/bin/nsenter",
            ["--mount", "--target", "\(holder.process)"] + (identity ?? []) + [program] + arguments,
            environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"].merging(environment) { $1 }
        )
    }

    /// Starts the system service in the namespace, and waits until it is ready.
    func startDaemon(_ arguments: [String]) throws -> ChildProcess {
        let user = SystemDaemon.User.service.rawValue
        let daemon = try start(DaemonProcess.executable, ["--system", "--as", "\(user):\(user)"] + arguments)
        guard let line = try daemon.readLine(), line.hasSuffix(": ready") else {
            throw StartFailure(ending: daemon.end())
        }
        return daemon
    }

    /// Runs shell commands as root in the namespace.
    func run(_ script: String, in directory: URL) throws {
        let shell = try start("/bin/sh", ["-ec", script, directory.path])
        defer { shell.end() }
        let lines = try shell.readLines()
        guard try shell.wait() == .exited(0) else {
            throw AttackFailure(description: lines.joined(separator: "\n"))
        }
    }
}
