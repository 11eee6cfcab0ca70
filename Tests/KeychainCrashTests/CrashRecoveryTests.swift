// SPDX-License-Identifier: Apache-2.0

import CKeychainRecordingVFS
import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@Suite struct CrashRecoveryTests {
    /// How many calls an ordinary run samples per scenario, to simulate power losses after each of them.
    static let sampledCalls = 60
    /// The minimum number of crash points per scenario in a thorough run, which gives more than 5,000 in total.
    static let leastPoints = 1_000

    @Test(arguments: Scenario.all)
    func `after a crash at any call all acknowledged writes are present and none is partial`(
        _ scenario: Scenario
    ) throws {
        let run = try RecordedRun(scenario)
        let callCounts = Sampling.some(
            Self.sampledCalls,
            of: 0...run.recorder.length,
            for: "crash points of \(scenario.name)"
        )
        let report = try run.report(after: Set(callCounts))

        #expect(report.findings.isEmpty, "first: \(String(describing: report.findings.first))")
        let least = Sampling.isThorough ? Self.leastPoints : Self.sampledCalls
        #expect(report.points >= least)
        #expect(report.torn >= least / 4)
    }

    @Test func `the checkpoint scenario has several checkpoints`() throws {
        let run = try RecordedRun(.checkpoints)

        #expect(run.recorder.databaseSyncs >= 3)
    }

    @Test(arguments: Scenario.all)
    func `the recording reproduces the final files`(_ scenario: Scenario) throws {
        let run = try RecordedRun(scenario)
        let scratch = try ScratchDirectory()
        let length = run.recorder.length
        try run.recorder.replay { disk in
            if disk.callCount == length { try disk.write(to: scratch.path, fate: CRV_KEPT, seed: 0) }
        }

        let rebuilt = try StoreFiles(closedStoreAt: scratch.path)
        for name in [StoreLocation.databaseName, StoreLocation.databaseName + "-wal"] {
            #expect(rebuilt[name] == run.final[name])
            // Every label in a scenario contains "of round", which must not be in the files in plaintext.
            #expect(try #require(run.final[name]).range(of: Data("of round".utf8)) == nil)
        }
    }
}
