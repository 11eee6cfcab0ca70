// SPDX-License-Identifier: Apache-2.0

import CReference
import Foundation
import KeychainModel

/// The start-up time and the memory of a new process.
struct StartBenchmark {
    let effort: Effort
    private let size = 10_000

    func rows() throws -> [Row] {
        try Stores.fill(size)
        return try [firstRead(), memory()] + commands()
    }

    private func firstRead() throws -> Row {
        let arguments = [Stores.reference, Items.service(4_711), Items.account(4_711), "time"]
        let rounds = try Rounds(
            effort.starts / 3,
            reference: { _ in
                let child = try Child(Program.cold.path(), arguments, environment: Stores.environment)
                let text = String(decoding: try child.finish(), as: UTF8.self)
                guard let time = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
                    throw BenchmarkError("the C reference printed no time")
                }
                return time
            },
            [{ _ in try Worker.measure("first-read").elapsed }]
        )
        // The target is a time, not a ratio.
        return Row(
            work: "first read in a process: open, authenticate, read",
            unit: "µs",
            reference: rounds.figures[0].median,
            ours: rounds.ours().median,
            target: 500
        )
    }

    private func memory() throws -> Row {
        let figures = try (0..<3).map { _ in try Worker.measure("read-all").megabytes }
        return Row(
            work: "resident memory of a program that read 10,000 items",
            unit: "MB",
            ours: figures.median,
            target: 18
        )
    }

    private func commands() throws -> [Row] {
        let directories = try StoreDirectories(onDisk: true)
        // The command as a caller: the file name of an executable without entitlements is its only access group.
        let caller = Caller(applicationIdentifier: "security", accessGroups: ["security"])
        try Stores.fill(size, for: caller, thenCopyTo: directories.subject)
        try CReferenceStore(at: directories.reference).fill(0..<size)
        let (security, cold) = try (Program.security.path(), Program.cold.path())
        let names = ["-s", Items.service(4_711), "-a", Items.account(4_711)]
        let answer = try Child(
            security,
            ["find-generic-password"] + names + ["-w"],
            environment: directories.environment
        ).finish()
        guard answer == Items.secret(4_711) + Data("\n".utf8) else {
            throw BenchmarkError("security did not find it")
        }
        let environment = directories.environment.map { "\($0.key)=\($0.value)" }
        func start(_ path: String, _ arguments: [String], input: String? = nil) throws -> Double {
            try Self.spawn(path, ["program"] + arguments, environment, input: input)
        }
        let finds = try Rounds(
            effort.starts,
            reference: { _ in
                try start(cold, [directories.reference, Items.service(4_711), Items.account(4_711)])
            },
            [
                { _ in try start(security, ["find-generic-password"] + names + ["-w"]) },
                { _ in try start(Program.emptySwift.path(), []) },
            ]
        )
        let secret = "0123456789 canary 0123456789 abc"
        let adds = try Rounds(
            effort.starts,
            reference: {
                try start(cold, [directories.reference, "new", "account \($0)", "add"], input: secret)
            },
            [
                {
                    try start(
                        security,
                        ["add-generic-password", "-s", "new", "-a", "account \($0)", "-w"],
                        input: secret
                    )
                }
            ]
        )
        return [
            finds.row("cold security find-generic-password -w", 0, unit: "ms", target: 0.9),
            adds.row("cold security add-generic-password", 0, unit: "ms", target: 0.9),
            finds.row("for comparison: an empty Swift program, static", 1, unit: "ms", target: nil),
        ]
    }

    /// Returns the milliseconds from the start of a program to its exit; `input` is its standard input, if any.
    static func spawn(
        _ path: String,
        _ arguments: [String],
        _ environment: [String],
        input: String?
    ) throws -> Double {
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer { for copy in argv + envp { free(copy) } }
        let time = reference_spawn(path, &argv, &envp, input)
        guard time >= 0 else { throw BenchmarkError("\(path) failed") }
        return Double(time) / 1_000_000
    }
}
