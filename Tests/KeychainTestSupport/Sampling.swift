// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Chooses the cases that a test runs: a random sample, or all of them with `Scripts/test --thorough`.
///
/// Every sample prints its seed; `KEYCHAIN_TEST_SEED` repeats a sample.
package enum Sampling {
    private static let environment = ProcessInfo.processInfo.environment

    package static let isThorough = environment["KEYCHAIN_TEST_THOROUGH"] == "1"

    /// The seed of all samples of this test run.
    package static let seed =
        environment["KEYCHAIN_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)

    /// Returns a generator whose seed combines the seed of the test run and a purpose.
    private static func generator(for purpose: String) -> SeededGenerator {
        // Does not use `Hasher`, because its values differ between runs.
        let hash = purpose.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return SeededGenerator(seed: hash)
    }

    /// Returns a random sample of `count` cases, in their original order; all cases in a thorough run.
    package static func some<Cases: Collection>(
        _ count: Int,
        of cases: Cases,
        for purpose: String
    ) -> [Cases.Element] {
        guard !isThorough, cases.count > count else { return Array(cases) }
        print("\(purpose): \(count) of \(cases.count) cases, KEYCHAIN_TEST_SEED=\(seed)")
        var generator = generator(for: purpose)
        let chosen = Array(0..<cases.count).shuffled(using: &generator).prefix(count).sorted()
        let all = Array(cases)
        return chosen.map { all[$0] }
    }
}
