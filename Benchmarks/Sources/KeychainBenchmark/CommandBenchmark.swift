// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel

/// The command `security` on large stores, and git with the command as its credential helper.
struct CommandBenchmark {
    let effort: Effort

    private static let listed = 10_000
    private static let backedUp = 100_000
    /// The command as a caller: the file name of an executable without entitlements is its only access group.
    private static let caller = Caller(applicationIdentifier: "security", accessGroups: ["security"])

    func rows() throws -> [Row] { try lists() + [backup()] + gitFills() }

    /// Creates a store with items that the command `security` can read.
    private func directories(_ items: Int) throws -> StoreDirectories {
        let directories = try StoreDirectories(onDisk: false)
        try Stores.fill(items, for: Self.caller, thenCopyTo: directories.subject)
        return directories
    }

    private func lists() throws -> [Row] {
        let directories = try directories(Self.listed)
        return try [["list"], ["list", "--json"]].map { words in
            let times = try (0..<effort.rounds).map { _ in
                try Self.milliseconds(Program.security.path(), words, directories.environment)
            }
            return Row(
                work: "security \(words.joined(separator: " ")), 10,000 items",
                unit: "ms",
                ours: times.median,
                target: 150
            )
        }
    }

    private func backup() throws -> Row {
        let directories = try directories(Self.backedUp)
        let words = ["backup", "--force", "-P", "passphrase", "\(directories.path)/backup"]
        let times = try (0..<max(3, effort.rounds / 3)).map { _ in
            try Self.milliseconds(Program.security.path(), words, directories.environment)
        }
        return Row(
            work: "security backup, 100,000 items, with the derivation of the key",
            unit: "items/s",
            ours: Double(Self.backedUp) / times.median * 1_000,
            target: 50_000,
            direction: .atLeast
        )
    }

    /// Measures `git credential fill` with the helper of this package, compared with git's helper `cache`.
    private func gitFills() throws -> [Row] {
        let git = "/usr/bin/git"
        guard FileManager.default.isExecutableFile(atPath: git) else {
            FileHandle.standardError.write(Data("no git: not compared\n".utf8))
            return []
        }
        let directories = try directories(Self.listed)
        var environment = directories.environment
        environment["GIT_CONFIG_NOSYSTEM"] = "1"
        let socket = "--socket=\(directories.path)/cache/socket"
        try StoreDirectories.make("\(directories.path)/cache")
        let helpers = ["cache \(socket)", "\(try Program.security.path()) git-credential"]
        func run(_ helper: String, _ operation: String, _ input: String) throws -> Double {
            let words = [
                "-c", "credential.helper=", "-c", "credential.helper=\(helper)", "credential", operation,
            ]
            return try Self.milliseconds(git, words, environment, input: input)
        }
        let question = "protocol=https\nhost=host.example\nusername=me\n"
        for helper in helpers { _ = try run(helper, "approve", question + "password=secret\n\n") }
        defer { _ = try? Self.milliseconds(git, ["credential-cache", socket, "exit"], environment) }
        let rounds = try Rounds(
            effort.starts / 3,
            reference: { _ in try run(helpers[0], "fill", question + "\n") },
            [{ _ in try run(helpers[1], "fill", question + "\n") }]
        )
        let differences = zip(rounds.figures[1], rounds.figures[0]).map { $0 - $1 }
        return [
            Row(
                work: "git credential fill: longer than with the helper cache",
                unit: "ms",
                reference: rounds.figures[0].median,
                ours: differences.median,
                target: 15
            )
        ]
    }

    private static func milliseconds(
        _ path: String,
        _ arguments: [String],
        _ environment: [String: String],
        input: String? = nil
    ) throws -> Double {
        let variables = environment.map { "\($0.key)=\($0.value)" }
        return try StartBenchmark.spawn(path, ["program"] + arguments, variables, input: input)
    }
}
