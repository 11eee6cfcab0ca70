// SPDX-License-Identifier: Apache-2.0

import CKeychainSQLite
import Foundation
import KeychainModel
import KeychainTestSupport
import Testing

@testable import KeychainStore

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
    /// Checks the store after each failed operation, after the last operation, and after it is reopened.
    func run(_ fault: Fault, failingAt nth: Int) throws -> Outcome {
        let scratch = try ScratchDirectory()
        try prepared.write(to: scratch.path)
        var outcome = Outcome()
        var expectation = Expectation(current: inventory, possible: [inventory])
        do {
            let recorder = Recorder()
            var location = StoreLocation(
                directory: scratch.path,
                createsIfMissing: false,
                fileSystem: recorder.name
            )
            location.checkpointThreshold = 32
            let keychain = try EmbeddedKeychain(at: location)
            var injection = FaultInjection(fault, at: nth, in: recorder)
            for operation in Self.operations {
                // A repeated search is cached.
                for _ in 0..<3 { _ = try StoreCheck.items(of: keychain) }
                let failed = injection.isFailure { () throws(StatusError) in
                    try operation.perform(on: keychain)
                }
                try expectation.note(operation, failed: failed)
                guard failed else { continue }
                outcome.failures += 1
                outcome.findings += Self.findings(in: keychain, expecting: expectation.current)
            }
            (outcome.calls, outcome.databaseSyncs) = (injection.calls, recorder.databaseSyncs)
            outcome.findings += [StoreCheck.finding(in: keychain, allowed: [expectation.current])]
                .compactMap { $0 }
        }
        let check = StoreCheck(directory: scratch.path)
        outcome.findings += [check.finding(allowed: Array(expectation.possible), writing: true)]
            .compactMap { $0 }
        return outcome
    }

    private struct Expectation {
        /// The inventory that the keychain returns.
        var current: Inventory
        /// The inventories that the store may have after it is reopened.
        var possible: Set<Inventory>

        mutating func note(_ operation: Operation, failed: Bool) throws {
            let changed = operation.applied(to: current)
            if failed {
                // If the sync of a commit failed, the commit may or may not be there after a restart.
                if let changed { possible.insert(changed) }
            } else {
                current = try #require(changed, "an operation succeeded that must fail")
                possible = [current]
            }
        }
    }

    /// Reads all items through the connection that made the changes: from its cache, then from its pages.
    ///
    /// A failed change must not be visible there.
    private static func findings(
        in keychain: EmbeddedKeychain,
        expecting inventory: Inventory
    ) -> [Finding] {
        let expected = inventory.filter { $0.key != Operation.passcode }
        do throws(StatusError) {
            let cached = try StoreCheck.items(of: keychain)
            try keychain.read { session throws(StatusError) in session.cache = SearchCache() }
            let read = try StoreCheck.items(of: keychain)
            return [cached, read].allSatisfy { $0 == expected } ? [] : [.neverWasLikeThis]
        } catch { return [.cannotBeListed(error)] }
    }
}

/// A fault that is injected only during some of the calls.
private struct FaultInjection {
    private let fault: Fault
    private let nth: Int
    private let recorder: Recorder
    /// The number of calls of the fault's kind so far, without the calls during which no fault was injected.
    private(set) var calls = 0

    init(_ fault: Fault, at nth: Int, in recorder: Recorder) {
        (self.fault, self.nth, self.recorder) = (fault, nth, recorder)
    }

    /// Calls the closure while the fault is injected; returns whether it throws.
    mutating func isFailure(_ body: () throws(StatusError) -> Void) -> Bool {
        // 0 injects no fault.
        let isOver = nth <= calls
        recorder.fail(fault, at: nth == 0 || isOver && !fault.lasts ? 0 : isOver ? 1 : nth - calls)
        defer {
            calls += recorder.calls
            recorder.failNothing()
        }
        do throws(StatusError) { try body() } catch { return true }
        return false
    }
}
