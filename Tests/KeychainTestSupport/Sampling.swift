// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Chooses which of many cases a test runs: a random sample, or all of them under `Scripts/test --thorough`.
///
/// Prints the seed of every sample; `KEYCHAIN_TEST_SEED` repeats it.
package enum Sampling {
    private static let environment = ProcessInfo.processInfo.environment

    /// Whether tests run every case.
    package static let isThorough = environment["KEYCHAIN_TEST_THOROUGH"] == "1"

    /// The seed of this run's samples.
    package static let seed =
        environment["KEYCHAIN_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)

    /// A generator seeded with the run's seed and a purpose.
    private static func generator(for purpose: String) -> SeededGenerator {
        // Hash values of the standard library differ between runs.
        let hash = purpose.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return SeededGenerator(seed: hash)
    }

    /// A random sample of the given size, in the original order.
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
