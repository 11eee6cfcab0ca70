// SPDX-License-Identifier: Apache-2.0

import Foundation
import Limits

extension [Double] {
    var median: Double {
        let ordered = sorted()
        guard let last = ordered.last else { return .nan }
        let middle = ordered.count / 2
        return ordered.count.isMultiple(of: 2)
            ? (ordered[middle - 1] + ordered[middle]) / 2 : middle < ordered.count ? ordered[middle] : last
    }
}

/// The microseconds that each of a number of repetitions took, on average.
func microseconds(_ count: Int, _ body: (Int) throws -> Void) rethrows -> Double {
    let start = limit_now()
    for number in 0..<count { try body(number) }
    return Double(limit_now() - start) / 1_000 / Double(count)
}

/// The same in processor time: for what never waits, and so is not disturbed by other programs' turns.
func processorMicroseconds(_ count: Int, _ body: (Int) throws -> Void) rethrows -> Double {
    let start = limit_processor_time()
    for number in 0..<count { try body(number) }
    return Double(limit_processor_time() - start) / 1_000 / Double(count)
}

/// Contenders measured in turns, so that what disturbs the machine disturbs all of them.
struct Rounds {
    private(set) var figures: [[Double]]

    /// - Parameters:
    ///   - rounds: how often each measures, after a first time that does not count.
    ///   - contenders: the limit first; each measures once and returns its figure.
    /// - Throws: what a contender throws.
    init(_ rounds: Int, _ contenders: [(_ round: Int) throws -> Double]) throws {
        figures = contenders.map { _ in [] }
        for contender in contenders { _ = try contender(0) }
        for round in 1...rounds {
            // There and back: no contender always comes after the same other.
            let order = round.isMultiple(of: 2) ? Array(contenders.indices) : contenders.indices.reversed()
            for index in order { figures[index].append(try contenders[index](round)) }
        }
    }

    func median(_ contender: Int) -> Double { figures[contender].median }

    /// The median over the rounds of a contender's figure divided by that of the first.
    func ratio(_ contender: Int) -> Double { zip(figures[contender], figures[0]).map { $0 / $1 }.median }

    func row(_ work: String, _ contender: Int = 1, unit: String = "µs", target: Double?) -> Row {
        Row(
            work: work,
            unit: unit,
            limit: median(0),
            ours: median(contender),
            ratio: ratio(contender),
            target: target
        )
    }
}
