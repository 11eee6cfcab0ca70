// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// `run`: runs a command with passwords in its environment.
struct RunCommand {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard !arguments.isInteractive else { throw .usage("run is not available in interactive mode") }
        guard let command = arguments.operands.first else { throw .usage("a command is required") }
        for variable in try variables() {
            let item = try GetPassword.item(variable.item, returning: .data, arguments)
            try set(variable.name, item.password)
        }
        throw start(command)
    }

    private struct Variable {
        let name: String
        let item: ItemName
    }

    /// The variables of `--env`, with the items that contain their values.
    private func variables() throws(Failure) -> [Variable] {
        var variables: [Variable] = []
        for occurrence in arguments.occurrences where occurrence.option.name == "env" {
            let parts = (occurrence.value ?? "").split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw .usage("--env takes NAME=SERVICE/ACCOUNT") }
            variables.append(Variable(name: String(parts[0]), item: try ItemName(String(parts[1]))))
        }
        return variables
    }

    private func set(_ name: String, _ password: [UInt8]) throws(Failure) {
        guard !password.contains(0) else {
            throw .message("\(name): a password with a zero byte cannot be in the environment", result: 1)
        }
        let value = password.map { CChar(bitPattern: $0) } + [0]
        guard unsafe setenv(name, value, 1) == 0 else { throw Self.failure(name, errno) }
    }

    /// Replaces this process with the command; returns only on failure.
    private func start(_ command: String) -> Failure {
        var words = unsafe arguments.operands.map { unsafe strdup($0) } + [nil]
        CoreLimit.restored { unsafe _ = execvp(command, &words) }
        return Self.failure(command, errno)
    }

    private static func failure(_ name: String, _ code: Int32) -> Failure {
        // The exit code is as in shells: 127 if the command does not exist, 126 if it cannot be executed.
        .message(
            "\(BlobText.line(name)): \(unsafe String(cString: strerror(code)))",
            result: code == ENOENT ? 127 : 126
        )
    }
}
