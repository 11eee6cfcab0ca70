// SPDX-License-Identifier: Apache-2.0

import Foundation
import Limits

/// Warm reads and a listing in one process, while the store grows.
struct ReadBenchmark {
    let effort: Effort

    func rows() throws -> [Row] {
        let engine = try EngineSubject()
        let limit = try LimitSubject()
        var rows: [Row] = []
        var filled = 0
        var firstRead: Double?
        for size in ([1_000] + effort.sizes).sorted() {
            try engine.fill(filled..<size)
            try limit.fill(filled..<size)
            filled = size
            if size == 1_000 {
                rows += try listing(limit: limit)
                continue
            }
            let rounds = try reads(Names(size), engine: engine, limit: limit)
            let items = size.formatted(.number.locale(Locale(identifier: "en_US")))
            rows.append(
                rounds.row(
                    "engine, read by full identity, \(items) items",
                    1,
                    target: size == 10_000 ? 1.5 : nil
                )
            )
            let first = size == 10_000
            rows.append(rounds.row("SecItemCopyMatching, \(items) items", 2, target: first ? 2.5 : nil))
            if first {
                firstRead = rounds.median(2)
                rows += try sizes(items: size, limit: limit)
            } else if size > 10_000, let firstRead {
                rows.append(
                    Row(
                        work: "the same, against 10,000 items",
                        unit: "µs",
                        limit: firstRead,
                        ours: rounds.median(2),
                        ratio: rounds.median(2) / firstRead,
                        target: 1.3
                    )
                )
            }
        }
        return rows
    }

    private func reads(_ names: Names, engine: EngineSubject, limit: LimitSubject) throws -> Rounds {
        let count = effort.readsPerRound
        return try Rounds(
            effort.rounds,
            [
                { round in
                    try processorMicroseconds(count) {
                        try limit.read(
                            account: names.pointers[names.place(round * count + $0)],
                            service: names.service
                        )
                    }
                },
                { round in
                    try processorMicroseconds(count) {
                        try engine.read(account: names.accounts[names.place(round * count + $0)])
                    }
                },
                { round in
                    try processorMicroseconds(count) {
                        try Subject.read(account: names.accounts[names.place(round * count + $0)])
                    }
                },
            ]
        )
    }

    private func listing(limit: LimitSubject) throws -> [Row] {
        var sum: UInt64 = 0
        let rounds = try Rounds(
            effort.rounds,
            [
                { _ in
                    try processorMicroseconds(10) { _ in
                        guard limit_list(limit.store, &sum) == 1_000 else {
                            throw BenchmarkError("not 1,000 items")
                        }
                    }
                },
                { _ in
                    try processorMicroseconds(10) { _ in
                        guard try Subject.list().count == 1_000 else {
                            throw BenchmarkError("not 1,000 items")
                        }
                    }
                },
                { _ in
                    try processorMicroseconds(10) { _ in
                        guard let items = try Subject.list() as? [[String: Any]], items.count == 1_000 else {
                            throw BenchmarkError("not 1,000 items")
                        }
                    }
                },
            ]
        )
        return [
            rounds.row("list the attributes of 1,000 items", target: 6),
            rounds.row("the same, and cast to [[String: Any]] by Foundation", 2, target: nil),
        ]
    }

    private func sizes(items: Int, limit: LimitSubject) throws -> [Row] {
        limit_checkpoint(limit.store)
        let ours = try bytes(of: "\(Stores.subject)/keychain.db") / Double(items)
        let theirs = try bytes(of: "\(Stores.limit)/limit.db") / Double(items)
        return [
            Row(work: "bytes on disk per item", unit: "B", limit: theirs, ours: ours, ratio: nil, target: 800)
        ]
    }

    private func bytes(of path: String) throws -> Double {
        // The size alone: to open the file would drop SQLite's locks.
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        guard let size = attributes[.size] as? NSNumber else { throw BenchmarkError("no size") }
        return size.doubleValue
    }
}
