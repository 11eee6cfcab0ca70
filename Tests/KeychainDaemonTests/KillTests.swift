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

    @Test(arguments: TestedService.Kind.allCases)
    func `a killed daemon loses no confirmed addition, and the client goes on with the next`(
        kind: TestedService.Kind
    ) throws {
        let rounds = Sampling.isThorough ? 200 : 5
        try TestedService.with(kind) { daemon in
            let (keychain, additions, ended) = (daemon.client(), Additions(), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                while let number = additions.next() {
                    // After an error the addition may or may not have happened, so the number is not recorded
                    // as confirmed.
                    if (try? NumberedItems.add(number, to: keychain)) != nil { additions.confirm(number) }
                }
                ended.signal()
            }
            for _ in 0..<rounds {
                let before = additions.confirmed.count
                while additions.confirmed.count < before + 20 { usleep(1_000) }
                daemon.kill()
                try daemon.restart()
            }
            additions.stop()
            ended.wait()
            let confirmed = additions.confirmed
            #expect(confirmed.count >= rounds * 20)
            for number in confirmed { #expect(try NumberedItems.isStored(number, in: keychain), "\(number)") }
        }
    }
}
