// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// Random operations on a keychain and on ``ReferenceKeychain``, whose results must agree.
///
/// An ordinary run executes 800 steps of one seed, a thorough run 2,600 steps of each of eight seeds.
/// `KEYCHAIN_MODEL_SEED` selects another seed, and `KEYCHAIN_MODEL_STEPS` the number of steps.
@Suite(.searchedKeychain) struct ModelBasedTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let steps =
        environment["KEYCHAIN_MODEL_STEPS"].flatMap { Int($0) } ?? (Sampling.isThorough ? 2_600 : 800)
    private static let seeds: [UInt64] =
        environment["KEYCHAIN_MODEL_SEED"].flatMap { UInt64($0) }.map { [$0] }
        ?? Sampling.some(
            1,
            of: [1, 2, 3, 5, 8, 13, 21, 34] as [UInt64],
            for: "seeds of the reference keychain"
        )

    @Test(arguments: seeds) func `a keychain behaves like the reference model`(seed: UInt64) throws {
        let directory = try #require(SearchedKeychain.directory)
        var generator = OperationGenerator(seed: seed)
        let operations = (0..<Self.steps).map { _ in generator.next() }
        guard let divergence = try ModelRun.divergence(of: operations, in: directory) else { return }
        let failing = Array(operations.prefix(divergence.step + 1))
        let shrunk = try ModelRun.shrunk(failing, in: directory)
        let listing = shrunk.enumerated().map { "  \($0.offset): \($0.element)" }.joined(separator: "\n")
        Issue.record(
            """
            seed \(seed), step \(divergence.step): \(divergence)
            without what is not needed: \
            \(try ModelRun.divergence(of: shrunk, in: directory)?.description ?? "does not come back")
            \(listing)
            """
        )
    }
}
