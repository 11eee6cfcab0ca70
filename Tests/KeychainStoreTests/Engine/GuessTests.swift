// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Synchronization
import Testing

/// Simulated clocks, which only tests advance.
final class TestClock: Sendable {
    private let state = Mutex((sinceStart: UInt64(100_000), asleep: UInt64(0), start: Bytes16.random()))

    var clock: LockClock {
        LockClock(
            sinceStart: { self.state.withLock { $0.sinceStart } },
            awake: { self.state.withLock { $0.sinceStart - $0.asleep } },
            start: { self.state.withLock { $0.start } }
        )
    }

    func pass(seconds: UInt64) { state.withLock { $0.sinceStart += seconds * 1_000 } }

    func sleep(seconds: UInt64) {
        pass(seconds: seconds)
        state.withLock { $0.asleep += seconds * 1_000 }
    }

    /// Simulates a restart of the machine some seconds ago.
    func restart(seconds: UInt64) { state.withLock { $0 = (seconds * 1_000, 0, .random()) } }
}

@Suite(.searchedKeychain) struct GuessTests {
    private let clock = TestClock()
    private let location: StoreLocation
    private let keychain: EmbeddedKeychain

    init() throws {
        location = StoreLocation(directory: try #require(SearchedKeychain.directory).path)
        keychain = try EmbeddedKeychain(at: location, lockClock: clock.clock)
        try keychain.setPasscode(SecretBytes("canary"), cost: LockedStore.cost)
        try keychain.lock()
    }

    /// The delays in seconds after the first, the second and each further wrong guess.
    static let delays: [UInt64] = [0, 0, 0, 5, 15, 60, 300, 900, 1_800, 3_600, 3_600, 3_600]

    private func guess(_ passcode: String = "canary wrong") throws(StatusError) {
        try keychain.unlock(with: SecretBytes(passcode))
    }

    private func expectWrong(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(throws: StatusError(.authenticationFailed, .passcodeWrong), sourceLocation: sourceLocation) {
            try guess()
        }
    }

    private func expectWait(_ seconds: UInt64, sourceLocation: SourceLocation = #_sourceLocation) {
        // During the delay, even the correct passcode is refused.
        for passcode in ["canary wrong", "canary"] {
            #expect(
                throws: StatusError(.authenticationFailed, .tooManyGuesses, code: Int32(seconds)),
                sourceLocation: sourceLocation
            ) { try guess(passcode) }
        }
    }

    @Test func `each wrong guess causes its delay`() throws {
        for delay in Self.delays {
            expectWrong()
            guard delay > 0 else { continue }
            expectWait(delay)
            clock.pass(seconds: delay - 1)
            expectWait(1)
            clock.pass(seconds: 1)
        }
    }

    @Test func `after ten wrong guesses the next is delayed by an hour`() throws {
        for delay in Self.delays.prefix(9) {
            expectWrong()
            clock.pass(seconds: delay)
        }
        expectWrong()
        expectWait(3_600)
    }

    @Test func `the correct passcode resets the count`() throws {
        for _ in 0..<3 {
            for delay in Self.delays.prefix(5) {
                expectWrong()
                clock.pass(seconds: delay)
            }
            try guess("canary")
        }
    }

    @Test func `a delay applies to other connections, and counts from the start after a restart`()
        throws
    {
        for delay in Self.delays.prefix(6) {
            clock.pass(seconds: delay)
            expectWrong()
        }
        let other = try EmbeddedKeychain(at: location, lockClock: clock.clock)
        let wait = StatusError(.authenticationFailed, .tooManyGuesses, code: 60)
        #expect(throws: wait) { try other.unlock(with: SecretBytes("canary")) }
        // The time before a restart cannot be verified; only the time since the restart counts.
        clock.restart(seconds: 20)
        expectWait(40)
        clock.pass(seconds: 40)
        try guess("canary")
    }

    @Test func `every operation that verifies a passcode counts guesses`() throws {
        let operations: [() throws -> Void] = [
            { try keychain.unlock(with: SecretBytes("canary wrong")) },
            { _ = try keychain.authenticate(with: SecretBytes("canary wrong")) },
            { _ = try keychain.removePasscode(SecretBytes("canary wrong")) },
            {
                try keychain.changePasscode(
                    from: SecretBytes("canary wrong"),
                    to: SecretBytes("canary"),
                    cost: LockedStore.cost
                )
            },
            { _ = try keychain.countItemsNeedingPasscode(SecretBytes("canary wrong")) },
            { try keychain.beginKeyRotation(with: SecretBytes("canary wrong")) },
        ]
        for (delay, operation) in zip(Self.delays, operations) {
            clock.pass(seconds: delay)
            #expect(throws: StatusError(.authenticationFailed, .passcodeWrong)) { try operation() }
        }
        expectWait(Self.delays[operations.count - 1])
    }

    @Test func `changing the system time does not affect delays`() throws {
        for delay in Self.delays.prefix(4) {
            clock.pass(seconds: delay)
            expectWrong()
        }
        // The wall clock of the second connection is ten years behind or ahead.
        for day in [-3_650.0, 3_650] {
            let other = try EmbeddedKeychain(
                at: location,
                clock: { Date().timeIntervalSinceReferenceDate + day * 86_400 },
                lockClock: clock.clock
            )
            #expect(throws: StatusError(.authenticationFailed, .tooManyGuesses, code: 5)) {
                try other.unlock(with: SecretBytes("canary"))
            }
        }
    }

    @Test func `a guess is counted before it is verified`() throws {
        let path = location.directory + "/keychain.db"
        let before = try SampleStore.sql("SELECT content FROM page WHERE id = 2", in: path)
        expectWrong()
        #expect(try SampleStore.sql("SELECT content FROM page WHERE id = 2", in: path) != before)
    }

    @Test(arguments: [
        "UPDATE page SET content = zeroblob(length(content)) WHERE id = 2", "DELETE FROM page WHERE id = 2",
    ])
    func `an edited or rolled back guess counter is detected`(statement: String) throws {
        let path = location.directory + "/keychain.db"
        let old = try #require(
            try SampleStore.sql("SELECT content FROM page WHERE id = 2", in: path).first?.first ?? nil
        )
        expectWrong()
        try SampleStore.sql(statement, in: path)
        expect(.undecodable) { _ = try EmbeddedKeychain(at: location) }
        try SampleStore.sql("INSERT OR REPLACE INTO page VALUES (2, x'\(old.hex)')", in: path)
        expect(.undecodable) { _ = try EmbeddedKeychain(at: location) }
    }

    @Test func `automatic locking takes effect after its interval`() throws {
        try guess("canary")
        try keychain.set(LockSettings(interval: 60))
        var calls = try Calls()
        calls.keychain = keychain
        try calls.add([.account: "canary a"])
        try calls.add([.account: "canary c", .accessible: "ck"])
        clock.pass(seconds: 59)
        #expect(try calls.find(.generic()).count == 2)
        clock.pass(seconds: 1)
        expect(.interactionNotAllowed) { _ = try calls.find(.generic()) }
        #expect(try calls.accounts(.generic([.accessible: "ck"])) == ["canary c"])
        #expect(try calls.status().lockState == .locked)
        #expect(try calls.status().lockSettings == LockSettings(interval: 60))
        // While the keychain is locked, its settings cannot be changed. Otherwise, a program could turn automatic
        // locking off without the passcode.
        expect(.interactionNotAllowed) { try keychain.set(LockSettings()) }
        #expect(try calls.accounts(.generic([.accessible: "ck"])) == ["canary c"])
        try guess("canary")
        // Changing the lock interval neither unlocks nor locks the keychain.
        try keychain.set(LockSettings(interval: 30))
        #expect(try calls.find(.generic()).count == 2)
        try keychain.set(LockSettings())
        clock.pass(seconds: 1_000_000)
        #expect(try calls.find(.generic()).count == 2)
    }

    @Test func `a system that slept is locked if so configured`() throws {
        try guess("canary")
        var calls = try Calls()
        calls.keychain = keychain
        try calls.add([.account: "canary a"])
        clock.sleep(seconds: 60)
        #expect(try calls.find(.generic()).count == 1)
        try keychain.set(LockSettings(locksOnSleep: true))
        clock.pass(seconds: 60)
        #expect(try calls.find(.generic()).count == 1)
        clock.sleep(seconds: 60)
        expect(.interactionNotAllowed) { _ = try calls.find(.generic()) }
        try guess("canary")
        #expect(try calls.find(.generic()).count == 1)
    }
}
