// SPDX-License-Identifier: Apache-2.0

import CReference
import Foundation
import KeychainServices

/// One store used by several processes and by several threads.
struct ProcessBenchmark {
    let effort: Effort

    func rows() throws -> [Row] {
        try Stores.fill(Worker.size)
        // Warms up the cache of every read session, because any thread can use any session.
        for _ in 0..<4 { _ = try readsPerMillisecond(threads: 4) }
        return try [fourReading(), fourThreads()] + writing(8, wait: 100)
            + writing(64, wait: 2_000, rate: 150)
    }

    private func fourReading() throws -> Row {
        var row = try Rounds(
            max(3, effort.rounds / 4),
            reference: { _ in rate(try run("read-reference", processes: 4)) },
            [{ _ in rate(try run("read", processes: 4)) }]
        )
        .row("four processes reading together", unit: "/ms", target: 0.4)
        row.direction = .atLeast
        return row
    }

    /// Measures four concurrent read loops, on at most one thread per processor, each with its own query dictionaries.
    private func fourThreads() throws -> Row {
        var row = try Rounds(
            max(3, effort.rounds / 4),
            reference: { _ in try readsPerMillisecond(threads: 1) },
            [{ _ in try readsPerMillisecond(threads: 4) }]
        )
        .row("four threads reading, against one", unit: "/ms", target: 1.7)
        row.direction = .atLeast
        return row
    }

    private func readsPerMillisecond(threads: Int) throws -> Double {
        let count = effort.readsPerRound * 4
        // Each dictionary is immutable and used by only one thread, so sharing the array is safe.
        nonisolated(unsafe) let queries = (0..<threads).map { thread in
            (0..<1_000).map {
                let item = Items.scattered($0 + thread * 1_000, among: Worker.size)
                return Subject.query(service: Items.service(item), account: Items.account(item))
                    as CFDictionary
            }
        }
        let start = reference_now()
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for number in 0..<count { try? Subject.read(queries[thread][number % 1_000]) }
        }
        return Double(count * threads) / (Double(reference_now() - start) / 1e6)
    }

    private func writing(_ processes: Int, wait: Double, rate target: Double? = nil) throws -> [Row] {
        let kind = "write-\(processes)"
        let results = try run(kind, processes: processes, seconds: 3 * effort.seconds)
        let stored = Set(try Subject.list().compactMap { ($0 as? NSDictionary)?[kSecAttrAccount] as? String })
        var lost = 0
        for (process, result) in results.enumerated() where result.failures == 0 {
            lost += (0..<result.operations).count {
                !stored.contains(Worker.account($0, of: process, kind))
            }
        }
        let work = "\(processes) processes writing"
        let failures = results.reduce(0) { $0 + $1.failures }
        var together = Row(work: "\(work): adds of all processes", unit: "/s", ours: rate(results) * 1_000)
        together.target = target
        together.direction = .atLeast
        return [
            together,
            Row(work: "\(work): adds lost", unit: "", ours: Double(lost), target: 0),
            Row(work: "\(work): adds failed", unit: "", ours: Double(failures), target: 0),
            Row(
                work: "\(work): longest wait",
                unit: "ms",
                ours: (results.map(\.longest).max() ?? .nan) / 1_000,
                target: wait
            ),
        ]
    }

    /// Starts the processes at the same time, and returns their results.
    private func run(_ kind: String, processes: Int, seconds: Double? = nil) throws -> [Worker.Result] {
        let children = try (0..<processes).map {
            try Child(
                Child.ownPath,
                ["worker", kind, String(seconds ?? effort.seconds), String($0)],
                environment: Stores.environment
            )
        }
        for child in children { try child.awaitLine() }
        return try children.map { try $0.start() }.map {
            try JSONDecoder().decode(Worker.Result.self, from: $0.finish())
        }
    }

    private func rate(_ results: [Worker.Result]) -> Double {
        results.reduce(0) { $0 + Double($1.operations) / ($1.elapsed / 1_000) }
    }
}
