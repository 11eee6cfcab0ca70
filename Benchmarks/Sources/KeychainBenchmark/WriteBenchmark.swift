// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// Durable writes of one process to a store of 10,000 items on a real disk, checkpoints included.
struct WriteBenchmark {
    let effort: Effort
    private let size = 10_000

    func rows() throws -> [Row] {
        try Stores.fill(size)
        let references: [any Reference] = [try CReferenceStore(), try SQLCipherStore()]
        return try adds(references) + updates(references) + [try addsTogether()]
    }

    private func adds(_ references: [any Reference]) throws -> [Row] {
        let count = effort.writesPerRound
        func first(_ round: Int) -> Int { size + round * count }
        // Each of the compared implementations adds items of its own.
        let second = 1_000_000
        let rounds = try Rounds(
            effort.rounds,
            reference: { try references[0].adds(count, from: first($0)) },
            sqlcipher: { try references[1].adds(count, from: first($0)) },
            [
                { round in
                    let items = (0..<count).map { Subject.addition(first(round) + $0) }
                    return try microseconds(count) { try Subject.check(SecItemAdd(items[$0], nil)) }
                },
                { round in try microseconds(count) { try Subject.add(second + first(round) + $0) } },
            ]
        )
        return [
            rounds.row(
                "durable SecItemAdd, dictionary ready",
                target: 1.5,
                targetToSQLCipher: 1
            ),
            rounds.row(
                "durable SecItemAdd, dictionary built",
                1,
                target: nil,
                targetToSQLCipher: 1
            ),
        ]
    }

    private func updates(_ references: [any Reference]) throws -> [Row] {
        let count = effort.writesPerRound
        func item(_ number: Int) -> Int { Items.scattered(number, among: size) }
        let rounds = try Rounds(
            effort.rounds,
            reference: { try references[0].updates(count, from: $0 * count, among: size) },
            sqlcipher: { try references[1].updates(count, from: $0 * count, among: size) },
            [
                { round in
                    let updates = (0..<count).map {
                        Subject.update(of: item(round * count + $0), version: round * count + $0 + 1)
                    }
                    return try microseconds(count) {
                        try Subject.check(SecItemUpdate(updates[$0].query, updates[$0].change))
                    }
                },
                { round in
                    try microseconds(count) {
                        let number = round * count + $0
                        try Subject.update(item(number), version: -number)
                    }
                },
            ]
        )
        return [
            rounds.row(
                "durable SecItemUpdate of the secret, dictionaries ready",
                target: 1.3,
                targetToSQLCipher: 1
            ),
            rounds.row(
                "durable SecItemUpdate of the secret, dictionaries built",
                1,
                target: nil,
                targetToSQLCipher: 1
            ),
        ]
    }

    private func addsTogether() throws -> Row {
        let count = 10_000
        let figures = try (0..<max(3, effort.rounds / 5)).map { round in
            let items = (0..<count).map { Subject.addition(2_000_000 + round * count + $0) }
            return try microseconds(1) { _ in try Subject.check(SecItemAddTogether(items)) } / Double(count)
        }
        return Row(work: "10,000 adds in one transaction, each", unit: "µs", ours: figures.median, target: 45)
    }
}
