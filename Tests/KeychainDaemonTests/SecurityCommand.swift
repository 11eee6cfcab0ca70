// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport

enum SecurityCommand {
    static let executable = URL(filePath: TestTool.executable).deletingLastPathComponent()
        .appending(component: "security").path

    struct Result {
        /// Standard output and standard error.
        let lines: [String]
        let ending: ChildProcess.Ending

        var text: String { lines.joined(separator: "\n") }
        var isSuccess: Bool { ending == .exited(0) }
    }

    /// Runs the command until it ends; `input` becomes its standard input.
    static func run(
        _ arguments: [String],
        input: String? = nil,
        environment: [String: String]
    ) throws -> Result {
        let child = try start(arguments, environment: environment)
        defer { child.end() }
        if let input { try child.send(input) }
        child.finishInput()
        return try Result(lines: child.readLines(), ending: child.wait())
    }

    static func start(_ arguments: [String], environment: [String: String]) throws -> ChildProcess {
        try ChildProcess(
            "/bin/sh",
            ["-c", "exec \"$0\" \"$@\" 2>&1", executable] + arguments,
            environment: ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        )
    }
}

extension DaemonProcess {
    func security(
        _ arguments: [String],
        input: String? = nil,
        environment: [String: String] = [:]
    ) throws -> SecurityCommand.Result {
        try SecurityCommand.run(
            arguments,
            input: input,
            environment: [
                "XDG_RUNTIME_DIR": directory.path, "KEYCHAIN_BACKEND": "daemon", "HOME": directory.path,
                "KEYCHAIN_PINENTRY": "",
            ].merging(environment) { $1 }
        )
    }
}

extension SystemDaemon {
    func security(_ arguments: [String], as user: User, input: String? = nil) throws -> SecurityCommand.Result
    {
        let command = "exec 2>&1; exec \"$0\" \"$@\""
        let child = try run(
            "/usr/bin/env",
            [
                "HOME=\(directory.path)", "KEYCHAIN_PINENTRY=", "/bin/sh", "-c", command,
                SecurityCommand.executable,
            ]
                + arguments,
            as: user
        )
        defer { child.end() }
        if let input { try child.send(input) }
        child.finishInput()
        return try SecurityCommand.Result(lines: child.readLines(), ending: child.wait())
    }
}
