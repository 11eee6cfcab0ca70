// SPDX-License-Identifier: Apache-2.0

import CKeychainSQLite
import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite struct FaultInjectionTests {
    static let faults: [Fault] = [
        Fault(kind: .read, code: SQLITE_IOERR, lasts: false),
        Fault(kind: .write, code: SQLITE_IOERR, lasts: false),
        Fault(kind: .write, code: SQLITE_FULL, lasts: false),
        Fault(kind: .write, code: SQLITE_FULL, lasts: true),
        Fault(kind: .truncate, code: SQLITE_IOERR, lasts: false),
        Fault(kind: .sync, code: SQLITE_IOERR, lasts: false),
        Fault(kind: .sync, code: SQLITE_IOERR, lasts: true),
    ]

    @Test(arguments: faults)
    func `a failing call fails at most its own operation, and the store stays consistent`(
        _ fault: Fault
    ) throws {
        let trial = try FaultTrial()
        let calls = try trial.run(fault, failingAt: 0).calls
        try #require(calls > 0)
        for nth in Sampling.some(12, of: 1...calls, for: "failing calls, \(fault.testDescription)") {
            let outcome = try trial.run(fault, failingAt: nth)

            #expect(outcome.findings.isEmpty, "\(fault.testDescription), call \(nth)")
            if fault.lasts { #expect(outcome.failures > 0, "call \(nth) failed, and no error was reported") }
        }
    }

    @Test func `without a fault every operation succeeds`() throws {
        let outcome = try FaultTrial().run(Fault(kind: .write, code: SQLITE_FULL, lasts: false), failingAt: 0)

        #expect(outcome.failures == 0)
        #expect(outcome.findings.isEmpty)
        #expect(outcome.calls > 0)
        #expect(outcome.databaseSyncs > 0, "the trial reaches a checkpoint")
    }
}

/// Operations with an injected failure, on a store whose write-ahead log is about to be checkpointed.
struct FaultTrial {
    struct Outcome {
        var calls = 0
        var failures = 0
        var databaseSyncs = 0
        var findings: [Finding] = []
    }

    private let prepared: StoreFiles
    private let inventory: Inventory

    private static let before: [Operation] =
        Scenario.numbered(0..<6, Scenario.add)
        + (0..<3).map { .update(Scenario.account($0), Scenario.entry($0, round: 8, size: 50_000)) }

    private static let operations: [Operation] = [
        .add("added", Scenario.entry(1, round: 1)),
        .update(Scenario.account(0), Scenario.entry(2, round: 2)),
        .delete(Scenario.account(4)),
        .add("another", Scenario.entry(4, round: 4)),
        .updateAll(Scenario.entry(3, round: 3)),
        .update(Scenario.account(1), Scenario.entry(5, round: 5)),
        .deleteAll(label: "label of round 3"),
        .setPasscode("one"), .changePasscode("one", to: "two"), .removePasscode("two"),
        .add("last", Scenario.entry(6, round: 6)),
    ]

    init() throws {
        let scratch = try ScratchDirectory()
        inventory = try RecordedRun.prepare(Self.before, in: scratch.path)
        prepared = try StoreFiles(closedStoreAt: scratch.path)
    }

    /// Runs the operations while SQLite's nth file system call of the fault's kind fails, or all from the nth on.
    ///
    /// Checks the store before and after it is reopened.
    func run(_ fault: Fault, failingAt nth: Int) throws -> Outcome {
        let scratch = try ScratchDirectory()
        try prepared.write(to: scratch.path)
        let recorder = Recorder()
        var outcome = Outcome()
        var possible: Set<Inventory> = [inventory]
        do {
            var location = StoreLocation(
                directory: scratch.path,
                createsIfMissing: false,
                fileSystem: recorder.name
            )
            location.checkpointThreshold = 32
            let keychain = try EmbeddedKeychain(at: location)
            recorder.fail(fault, at: nth)
            for operation in Self.operations {
                outcome.failures += Self.perform(operation, on: keychain, following: &possible) ? 0 : 1
            }
            outcome.calls = recorder.calls
            outcome.databaseSyncs = recorder.databaseSyncs
            recorder.failNothing()
            if let finding = StoreCheck.finding(in: keychain, allowed: Array(possible)) {
                outcome.findings.append(finding)
            }
        }
        let check = StoreCheck(directory: scratch.path)
        if let finding = check.finding(allowed: Array(possible), writing: true) {
            outcome.findings.append(finding)
        }
        return outcome
    }

    /// Performs an operation, and returns whether it succeeded; updates the set of inventories that the store may have.
    private static func perform(
        _ operation: Operation,
        on keychain: EmbeddedKeychain,
        following possible: inout Set<Inventory>
    ) -> Bool {
        let changed = Set(possible.compactMap { operation.applied(to: $0) })
        do throws(StatusError) {
            try operation.perform(on: keychain)
            possible = changed
            return true
        } catch {
            // If the sync of a commit failed, the commit may or may not be there after a restart.
            possible.formUnion(changed)
            return false
        }
    }
}
