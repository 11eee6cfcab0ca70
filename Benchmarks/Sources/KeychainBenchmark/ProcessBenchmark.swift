// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// Several processes on one store at a time.
struct ProcessBenchmark {
    let effort: Effort
    private let size = 10_000

    func rows() throws -> [Row] {
        try Stores.fill(size)
        return (try reading()) + [try fourWriting()] + (try eightWriting())
    }

    private func reading() throws -> [Row] {
        let counts = [1, 2, 4, 8]
        let contenders = counts.flatMap { count in
            ["read-limit", "read"].map { kind in
                { (_: Int) in rate(try run(kind, processes: count, seconds: effort.seconds)) }
            }
        }
        let rounds = try Rounds(max(3, effort.rounds / 4), contenders)
        var rows: [Row] = counts.indices.map { place in
            Row(
                work: "reads by \(counts[place]) process\(counts[place] == 1 ? "" : "es") together",
                unit: "/ms",
                limit: rounds.median(2 * place),
                ours: rounds.median(2 * place + 1),
                ratio: rounds.median(2 * place + 1) / rounds.median(2 * place)
            )
        }
        rows.append(
            Row(
                work: "four processes reading, against one",
                unit: "/ms",
                limit: rounds.median(1),
                ours: rounds.median(5),
                ratio: zip(rounds.figures[5], rounds.figures[1]).map { $0 / $1 }.median,
                target: 1.7,
                direction: .atLeast
            )
        )
        return rows
    }

    private func fourWriting() throws -> Row {
        let rounds = try Rounds(
            max(3, effort.rounds / 4),
            ["write-limit", "write"].map { kind in
                { (round: Int) in
                    let results = try run(kind, processes: 4, seconds: effort.seconds, name: "four \(round)")
                    guard results.allSatisfy({ $0.failures == 0 }) else {
                        throw BenchmarkError("a write failed")
                    }
                    return rate(results)
                }
            }
        )
        return rounds.row("writes by 4 processes together", unit: "/ms", target: nil)
    }

    private func eightWriting() throws -> [Row] {
        let results = try run("write", processes: 8, seconds: 3 * effort.seconds, name: "eight")
        let stored = Set(try Subject.list().compactMap { ($0 as? NSDictionary)?[kSecAttrAccount] as? String })
        var lost = 0
        for (process, result) in results.enumerated() where result.failures == 0 {
            lost += (0..<result.operations).count { !stored.contains("eight \(process) \($0)") }
        }
        let failures = results.reduce(0) { $0 + $1.failures }
        let longest = results.map(\.longest).max() ?? .nan
        return [
            Row(
                work: "8 processes writing: together",
                unit: "/ms",
                limit: nil,
                ours: rate(results),
                ratio: nil
            ),
            Row(
                work: "8 processes writing: acknowledged and lost",
                unit: "",
                limit: nil,
                ours: Double(lost),
                ratio: nil,
                target: 0
            ),
            Row(
                work: "8 processes writing: failed or busy",
                unit: "",
                limit: nil,
                ours: Double(failures),
                ratio: nil,
                target: 0
            ),
            Row(
                work: "8 processes writing: longest wait",
                unit: "ms",
                limit: nil,
                ours: longest / 1_000,
                ratio: nil,
                target: 1_000
            ),
        ]
    }

    /// Starts the processes, lets them go together and collects what they did.
    private func run(
        _ kind: String,
        processes: Int,
        seconds: Double,
        name: String = ""
    ) throws -> [Worker.Result] {
        let children = try (0..<processes).map {
            try Child(
                Child.ownPath,
                ["worker", kind, String(seconds), "\(name) \($0)"],
                environment: Worker.environment
            )
        }
        for child in children { try child.awaitReadiness() }
        for child in children { try child.start() }
        return try children.map { try JSONDecoder().decode(Worker.Result.self, from: $0.finish()) }
    }

    /// The operations per millisecond of all together.
    private func rate(_ results: [Worker.Result]) -> Double {
        results.reduce(0) { $0 + Double($1.operations) / ($1.elapsed / 1_000) }
    }
}
