// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

@Suite struct KillTests {
    /// The numbers of the items that the daemon confirmed, and the next number to add.
    private final class Additions: Sendable {
        private let state = Mutex<(confirmed: [Int], next: Int, isStopping: Bool)>(([], 0, false))

        var confirmed: [Int] { state.withLock { $0.confirmed } }

        var isStopping: Bool { state.withLock { $0.isStopping } }

        func stop() { state.withLock { $0.isStopping = true } }

        func next() -> Int? {
            state.withLock { state in
                guard !state.isStopping else { return nil }
                state.next += 1
                return state.next
            }
        }

        func confirm(_ number: Int) { state.withLock { $0.confirmed.append(number) } }
    }

    enum Ending: String, CaseIterable, Sendable {
        case killed, stopped

        func end(_ daemon: TestedService) throws {
            switch self {
            case .killed: daemon.kill()
            case .stopped: try daemon.stop()
            }
        }
    }

    private static let writers = 4
    private static let readers = 4

    /// Adds items until the additions are to stop.
    private static func write(_ additions: Additions, to keychain: DaemonKeychain) {
        while let number = additions.next() {
            do throws(StatusError) {
                try NumberedItems.add(number, to: keychain)
                additions.confirm(number)
            } catch {
                // The addition may or may not have happened.
                #expect(error.status == .notAvailable)
            }
        }
    }

    /// Reads confirmed items until the additions are to stop.
    private static func read(_ additions: Additions, in keychain: DaemonKeychain) {
        while !additions.isStopping {
            guard let number = additions.confirmed.randomElement() else { continue }
            do throws(StatusError) {
                #expect(try NumberedItems.isStored(number, in: keychain), "\(number)")
            } catch {
                #expect(error.status == .notAvailable)
            }
        }
    }

    @Test(arguments: TestedService.Kind.allCases, Ending.allCases)
    func `a daemon that ends under load loses no confirmed addition, and its clients go on`(
        kind: TestedService.Kind,
        ending: Ending
    ) throws {
        let rounds = Sampling.isThorough ? 200 : 5
        try TestedService.with(kind) { daemon in
            let (additions, ended) = (Additions(), DispatchSemaphore(value: 0))
            for client in 0..<Self.writers + Self.readers {
                let keychain = daemon.client()
                Thread.detachNewThread {
                    if client < Self.writers {
                        Self.write(additions, to: keychain)
                    } else {
                        Self.read(additions, in: keychain)
                    }
                    ended.signal()
                }
            }
            var longest = Duration.zero
            for _ in 0..<rounds {
                let before = additions.confirmed.count
                while additions.confirmed.count < before + 20 { usleep(1_000) }
                let start = ContinuousClock.now
                try ending.end(daemon)
                let confirmed = additions.confirmed.count
                try daemon.restart()
                while additions.confirmed.count <= confirmed { usleep(100) }
                longest = max(longest, start.duration(to: .now))
            }
            additions.stop()
            for _ in 0..<Self.writers + Self.readers { ended.wait() }
            let (confirmed, keychain) = (additions.confirmed, daemon.client())
            #expect(confirmed.count >= rounds * 20)
            for number in confirmed { #expect(try NumberedItems.isStored(number, in: keychain), "\(number)") }
            guard Sampling.isThorough else { return }
            print("\(kind) service \(ending) \(rounds) times: next addition after at most \(longest)")
        }
    }

    @Test(arguments: TestedService.Kind.allCases)
    func `a transaction that runs when the daemon stops is applied completely or not at all`(
        kind: TestedService.Kind
    ) throws {
        var random = SeededGenerator(seed: Sampling.seed)
        try TestedService.with(kind) { daemon in
            let keychain = daemon.client()
            try NumberedItems.add(0, to: keychain)
            for round in 1...(Sampling.isThorough ? 40 : 4) {
                let numbers = Array(round * 1_000..<round * 1_000 + 300)
                let (ended, result) = (DispatchSemaphore(value: 0), TransactionResult())
                Thread.detachNewThread {
                    do throws(StatusError) {
                        try NumberedItems.add(together: numbers, to: keychain)
                    } catch {
                        result.fail(error)
                    }
                    ended.signal()
                }
                usleep(UInt32.random(in: 0..<40_000, using: &random))
                try daemon.stop()
                try daemon.restart()
                ended.wait()
                let error = result.failure
                #expect(error == nil || error?.status == .notAvailable)
                let stored = numbers.count { (try? NumberedItems.isStored($0, in: keychain)) == true }
                #expect(stored == numbers.count || error != nil && stored == 0, "\(round)")
            }
        }
    }

    private final class TransactionResult: Sendable {
        private let error = Mutex<StatusError?>(nil)

        var failure: StatusError? { error.withLock { $0 } }

        func fail(_ failure: StatusError) { error.withLock { $0 = failure } }
    }
}
