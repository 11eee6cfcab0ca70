// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import Testing

/// The crash tests detect stores that really lose data.
@Suite struct NegativeControlTests {
    @Test func `a disk that ignores syncs loses acknowledged writes`() throws {
        let run = try RecordedRun(.adds)
        let report = try run.report(
            honouringSyncs: false,
            withNotes: false,
            after: Set(stride(from: 0, through: run.recorder.length, by: 16))
        )

        #expect(report.findings.contains { $0.finding == .acknowledgedWriteLost })
    }

    @Test func `the store detects the loss if the number of the last commit survived`() throws {
        let run = try RecordedRun(.adds)
        let report = try run.report(
            honouringSyncs: false,
            after: Set(stride(from: 0, through: run.recorder.length, by: 16))
        )
        let noticed = Finding.doesNotOpen(StatusError(.undecodable, .databaseRolledBack))

        #expect(report.findings.contains { $0.finding == noticed })
        #expect(!report.findings.contains { $0.finding == .acknowledgedWriteLost })
    }

    @Test func `a wrong value and a partially applied batch are detected`() throws {
        let scratch = try ScratchDirectory()
        let stored = try RecordedRun.prepare(Scenario.adds.before, in: scratch.path)
        let check = StoreCheck(directory: scratch.path)
        var wrong = stored
        wrong[Scenario.account(0)]?.secret = SecretBuffer("another value".utf8)
        var half = stored
        half[Scenario.account(1)] = nil

        #expect(check.finding(allowed: [stored]) == nil)
        #expect(check.finding(allowed: [wrong]) == .neverWasLikeThis)
        #expect(check.finding(allowed: [half], older: [stored]) == .acknowledgedWriteLost)
    }
}
