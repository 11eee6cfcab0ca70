// SPDX-License-Identifier: Apache-2.0

import CReference
import Foundation
import KeychainServices

/// Reads and lists in one process, in stores of growing size.
struct ReadBenchmark {
    let effort: Effort

    func rows() throws -> [Row] {
        let store = try StoreSubject()
        let references: [any Reference] = [try CReferenceStore(), try SQLCipherStore()]
        var rows: [Row] = []
        var filled = 0
        var smallest: Rounds?
        for size in ([1_000] + effort.sizes).sorted() {
            try store.fill(filled..<size)
            for reference in references { try reference.fill(filled..<size) }
            filled = size
            if size == 1_000 {
                rows += try listing(store, references)
                continue
            }
            let rounds = try reads(size, store, references, cached: false)
            rows += self.rows(of: rounds, size: size, smallest: smallest)
            rows.append(try searchByLabel(size, store))
            if smallest == nil {
                rows += cachedRows(of: try reads(size, store, references, cached: true))
                smallest = rounds
                rows.append(try bytesPerItem(size))
            }
        }
        return rows
    }

    private func rows(of rounds: Rounds, size: Int, smallest: Rounds?) -> [Row] {
        let items = items(size)
        let isFirst = smallest == nil
        var rows = [
            rounds.row("Request by full identity, not cached, \(items)", 0, target: isFirst ? 1.9 : nil),
            rounds.row(
                "SecItemCopyMatching, dictionary ready, not cached, \(items)",
                1,
                target: isFirst ? 2.7 : nil
            ),
            rounds.row(
                "SecItemCopyMatching, dictionary built, result cast, not cached, \(items)",
                2,
                target: isFirst ? 3.5 : nil
            ),
        ]
        if let smallest {
            rows.append(
                Row(
                    work: "SecItemCopyMatching, dictionary ready, against 10,000 items",
                    unit: "µs",
                    reference: smallest.ours(1).median,
                    ours: rounds.ours(1).median,
                    ratio: rounds.ours(1).median / smallest.ours(1).median,
                    target: 1.4
                )
            )
        }
        return rows
    }

    /// Measures searches by an attribute that is not part of the primary key.
    ///
    /// The references have no index for such a search.
    private func searchByLabel(_ size: Int, _ store: StoreSubject) throws -> Row {
        let count = effort.readsPerRound
        let labels = (0..<count).map { Items.label(Items.scattered($0, among: size)) }
        let figures = try (0...effort.rounds).map { round in
            try store.update(0, version: round)
            return try processorMicroseconds(count) { try store.read(label: labels[$0]) }
        }
        return Row(
            work: "Request by label, not cached, \(items(size))",
            unit: "µs",
            // The first round is a warm-up.
            ours: Array(figures.dropFirst()).median,
            target: 1_000
        )
    }

    private func items(_ count: Int) -> String {
        "\(count.formatted(.number.locale(Locale(identifier: "en_US")))) items"
    }

    private func cachedRows(of rounds: Rounds) -> [Row] {
        [
            rounds.row("Request by full identity, cached", 0, target: 0.35),
            rounds.row("SecItemCopyMatching, dictionary ready, cached", 1, target: 1.5),
            rounds.row("SecItemCopyMatching, dictionary built, result cast, cached", 2, target: 2.3),
        ]
    }

    /// Measures reads of a few cached items or, with `cached` false, of many items that are not cached.
    ///
    /// Without caching, each round starts with a change, and reads each item at most once.
    private func reads(
        _ size: Int,
        _ store: StoreSubject,
        _ references: [any Reference],
        cached: Bool
    ) throws -> Rounds {
        let count = effort.readsPerRound
        let chosen = cached ? Self.cachedItems : size
        /// Unless `cached` is true, changes an item before the measurement, which empties the caches of all processes.
        ///
        /// `change` uses the connection that is measured, like a program that reads and changes items.
        func prepare(_ round: Int, _ change: (Int, Int) throws -> Void) throws {
            if !cached { try change(0, round) }
        }
        let names = Names(size)
        // Creates the dictionaries of a round before the measurement.
        func queries(_ round: Int) -> [CFDictionary] {
            (0..<count).map {
                let item = Items.scattered(round * count + $0, among: chosen)
                return Subject.query(service: names.services[item], account: names.accounts[item])
                    as CFDictionary
            }
        }
        func each(_ round: Int, _ body: (String, String) throws -> Void) throws -> Double {
            try processorMicroseconds(count) {
                let item = Items.scattered(round * count + $0, among: chosen)
                try body(names.services[item], names.accounts[item])
            }
        }
        return try Rounds(
            effort.rounds,
            reference: { try references[0].reads(count, from: $0 * count, among: size) },
            sqlcipher: { try references[1].reads(count, from: $0 * count, among: size) },
            [
                { round in
                    try prepare(round, store.update)
                    return try each(round) { try store.read(service: $0, account: $1) }
                },
                { round in
                    let queries = queries(round)
                    try prepare(round, Subject.update)
                    return try processorMicroseconds(count) { try Subject.read(queries[$0]) }
                },
                { round in
                    try prepare(round, Subject.update)
                    return try each(round) { try Subject.read(service: $0, account: $1) }
                },
            ]
        )
    }

    /// The number of items that are read again and again from the cache.
    private static let cachedItems = 400

    private func listing(_ store: StoreSubject, _ references: [any Reference]) throws -> [Row] {
        func check(_ count: Int) throws {
            guard count == 1_000 else { throw BenchmarkError("\(count) items instead of 1,000") }
        }
        let rounds = try Rounds(
            effort.rounds,
            reference: { _ in try references[0].list(10, of: 1_000) },
            sqlcipher: { _ in try references[1].list(10, of: 1_000) },
            [
                { _ in try processorMicroseconds(10) { _ in try check(store.list()) } },
                { _ in try processorMicroseconds(10) { _ in try check(Subject.list().count) } },
            ]
        )
        return [
            rounds.row("list the attributes of 1,000 items, cached, as Response", 0, target: 6),
            rounds.row("list the attributes of 1,000 items, cached, as dictionaries", 1, target: 20),
        ]
    }

    private func bytesPerItem(_ items: Int) throws -> Row {
        func bytes(_ path: String) throws -> Double {
            // Reads only the file's size: opening and closing the file would drop SQLite's locks.
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            guard let size = attributes[.size] as? NSNumber else { throw BenchmarkError("no size") }
            return size.doubleValue / Double(items)
        }
        return Row(
            work: "bytes on disk per item",
            unit: "B",
            reference: try bytes("\(Stores.reference)/reference.db"),
            sqlcipher: try bytes("\(Stores.sqlcipher)/reference.db"),
            ours: try bytes("\(Stores.subject)/keychain.db"),
            target: 520
        )
    }
}
