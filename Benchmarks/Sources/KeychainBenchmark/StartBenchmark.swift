// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Limits

/// What a process that starts anew waits for.
struct StartBenchmark {
    let effort: Effort
    private let size = 10_000

    func rows() throws -> [Row] {
        try Stores.fill(size)
        return [try firstRead()] + (try command())
    }

    private func firstRead() throws -> Row {
        let rounds = try Rounds(
            effort.starts / 3,
            [
                { _ in try Worker.measure("first-read-limit") },
                { _ in try Worker.measure("first-read") },
            ]
        )
        return Row(
            work: "first read of a process: open, verify, read, close",
            unit: "µs",
            limit: rounds.median(0),
            ours: rounds.median(1),
            ratio: nil,
            target: 1_000
        )
    }

    private func command() throws -> [Row] {
        let place = try Place(onDisk: true)
        let tool = Child.ownDirectory + "/security"
        // The tool's own group, as an executable without entitlements has it.
        let caller = Caller(applicationIdentifier: "security", accessGroups: ["security"])
        let memory = try Place(onDisk: false)
        try Stores.fill(size, at: memory.subject, for: caller, thenCopyTo: place.subject)
        let find = [
            "security", "find-generic-password", "-s", Subject.service, "-a", Subject.account(4_711), "-w",
        ]
        let answer = try Child(tool, Array(find.dropFirst()), environment: place.environment).finish()
        guard answer == Subject.secret(4_711) + Data("\n".utf8) else {
            throw BenchmarkError("security did not find it")
        }

        let environment = place.environment.map { "\($0.key)=\($0.value)" }
        let rounds = try Rounds(
            effort.starts,
            [
                { _ in try Self.spawn(try Self.program("EMPTY_C"), ["empty"], environment) },
                { _ in try Self.spawn(tool, find, environment) },
                { _ in try Self.spawn(try Self.program("EMPTY_SWIFT"), ["empty"], environment) },
                { _ in try Self.spawn(try Self.program("EMPTY_FOUNDATION"), ["empty"], environment) },
            ]
        )
        return [
            rounds.row("cold security find-generic-password -w", 1, unit: "ms", target: 2),
            rounds.row(
                "for comparison: an empty Swift program, statically linked",
                2,
                unit: "ms",
                target: nil
            ),
            rounds.row("the same, which makes one dictionary of Foundation", 3, unit: "ms", target: nil),
        ]
    }

    private static func program(_ name: String) throws -> String {
        guard let path = ProcessInfo.processInfo.environment["BENCHMARK_" + name] else {
            throw BenchmarkError("BENCHMARK_\(name) is not set: start Benchmarks/run")
        }
        return path
    }

    /// The milliseconds from start to end of a program.
    private static func spawn(_ path: String, _ arguments: [String], _ environment: [String]) throws -> Double
    {
        var argv = arguments.map { strdup($0) } + [nil]
        var envp = environment.map { strdup($0) } + [nil]
        defer { for copy in argv + envp { free(copy) } }
        let time = limit_spawn(path, &argv, &envp)
        guard time >= 0 else { throw BenchmarkError("\(path) failed") }
        return Double(time) / 1_000_000
    }
}
