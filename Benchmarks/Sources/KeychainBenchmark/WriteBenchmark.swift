// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Durable writes of one process to a store of 10,000 items on a real disk, checkpoints included.
struct WriteBenchmark {
    let effort: Effort
    private let size = 10_000

    func rows() throws -> [Row] {
        try Stores.fill(size)
        let limit = try LimitSubject()
        return [try adds(limit), try overwrites(limit)]
    }

    private func adds(_ limit: LimitSubject) throws -> Row {
        let count = effort.writesPerRound
        let rounds = try Rounds(
            effort.rounds,
            [
                { round in
                    try microseconds(count) {
                        try limit.add(account: "new \(round) \($0)", Subject.secret($0))
                    }
                },
                { round in
                    try microseconds(count) {
                        try Subject.add(account: "new \(round) \($0)", Subject.secret($0))
                    }
                },
            ]
        )
        return rounds.row("durable SecItemAdd", target: 1.5)
    }

    private func overwrites(_ limit: LimitSubject) throws -> Row {
        let count = effort.writesPerRound
        func account(_ round: Int, _ number: Int) -> String {
            Subject.account((round * count + number) * 7_919 % size)
        }
        let rounds = try Rounds(
            effort.rounds,
            [
                { round in
                    try microseconds(count) {
                        try limit.overwrite(account: account(round, $0), Subject.secret($0))
                    }
                },
                { round in
                    try microseconds(count) {
                        try Subject.overwrite(account: account(round, $0), Subject.secret($0))
                    }
                },
            ]
        )
        return rounds.row("durable SecItemUpdate of the value", target: 1.5)
    }
}
