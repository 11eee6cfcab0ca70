// SPDX-License-Identifier: Apache-2.0

import CReference
import Foundation

extension [Double] {
    var median: Double {
        let ordered = sorted()
        guard let last = ordered.last else { return .nan }
        let middle = ordered.count / 2
        return ordered.count.isMultiple(of: 2)
            ? (ordered[middle - 1] + ordered[middle]) / 2 : middle < ordered.count ? ordered[middle] : last
    }
}

/// Returns the average wall time of a call of `body` in microseconds.
func microseconds(_ count: Int, _ body: (Int) throws -> Void) rethrows -> Double {
    let start = reference_now()
    for number in 0..<count { try body(number) }
    return Double(reference_now() - start) / 1_000 / Double(count)
}

/// Returns the average processor time of a call of `body` in microseconds.
///
/// For work that never waits, this time does not depend on other programs.
func processorMicroseconds(_ count: Int, _ body: (Int) throws -> Void) rethrows -> Double {
    let start = reference_processor_time()
    for number in 0..<count { try body(number) }
    return Double(reference_processor_time() - start) / 1_000 / Double(count)
}

/// Measurements of several implementations of the same work, the contenders, in alternating rounds.
///
/// If another program slows down the machine for some time, it affects all contenders.
struct Rounds {
    /// For each contender, one measurement per round.
    private(set) var figures: [[Double]]
    private let hasSQLCipher: Bool

    /// - Parameters:
    ///   - rounds: The number of measurements of each contender, after a warm-up.
    ///   - reference: The contender whose figures are the divisors of the ratios.
    ///   - sqlcipher: The same work by SQLCipher, if it is measured.
    ///   - contenders: The variants of this package's work.
    /// - Throws: The error of a contender.
    init(
        _ rounds: Int,
        reference: @escaping (_ round: Int) throws -> Double,
        sqlcipher: ((_ round: Int) throws -> Double)? = nil,
        _ contenders: [(_ round: Int) throws -> Double]
    ) throws {
        hasSQLCipher = sqlcipher != nil
        let all = [reference] + (sqlcipher.map { [$0] } ?? []) + contenders
        figures = all.map { _ in [] }
        for contender in all { _ = try contender(0) }
        for round in 1...rounds {
            // The order changes with each round, so that no contender always runs after the same one.
            let order = round.isMultiple(of: 2) ? Array(all.indices) : all.indices.reversed()
            for index in order { figures[index].append(try all[index](round)) }
        }
    }

    private func ratio(_ index: Int, to other: Int) -> Double {
        zip(figures[index], figures[other]).map { $0 / $1 }.median
    }

    private func index(of contender: Int) -> Int { contender + (hasSQLCipher ? 2 : 1) }

    /// The measurements of one variant of this package's work, one per round.
    func ours(_ contender: Int = 0) -> [Double] { figures[index(of: contender)] }

    func row(
        _ work: String,
        _ contender: Int = 0,
        unit: String = "µs",
        target: Double?,
        targetToSQLCipher: Double? = nil
    ) -> Row {
        let index = index(of: contender)
        return Row(
            work: work,
            unit: unit,
            reference: figures[0].median,
            sqlcipher: hasSQLCipher ? figures[1].median : nil,
            ours: figures[index].median,
            ratio: ratio(index, to: 0),
            ratioToSQLCipher: hasSQLCipher ? ratio(index, to: 1) : nil,
            target: target,
            targetToSQLCipher: targetToSQLCipher
        )
    }
}
