// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import Testing

/// Polling before a thread blocks.
@Suite struct AdaptivePollingTests {
    /// Polls in vain; returns how many of the next waits block at once.
    private static func pauseAfterVainPolling(_ polling: inout AdaptivePolling) -> Int {
        #expect(!polling.poll { false })
        var copy = polling
        for pause in 0... {
            var isPolling = false
            let isReady = copy.poll {
                isPolling = true
                return true
            }
            #expect(isReady == isPolling)
            if isPolling { return pause }
        }
        return .max
    }

    @Test func `polling ends when the other side is ready`() {
        var (polling, attempts) = (AdaptivePolling(), 0)
        let isReady = polling.poll {
            attempts += 1
            return true
        }
        #expect(isReady && attempts == 1)
    }

    @Test func `after polling in vain the next waits block at once, at most 255 of them`() {
        var polling = AdaptivePolling()
        var pauses: [Int] = []
        for _ in 0..<10 {
            pauses.append(Self.pauseAfterVainPolling(&polling))
            for _ in 0..<(pauses.last ?? 0) { #expect(!polling.poll { true }) }
        }
        #expect(pauses == [1, 3, 7, 15, 31, 63, 127, 255, 255, 255])
    }

    @Test func `each success halves the pause after the next vain attempt`() {
        var polling = AdaptivePolling()
        for _ in 0..<5 {
            for _ in 0..<Self.pauseAfterVainPolling(&polling) { #expect(!polling.poll { true }) }
        }
        for _ in 0..<500 { _ = polling.poll { true } }
        // A thread that lost its processor meanwhile has not succeeded, so the pause can be longer than 1.
        #expect(Self.pauseAfterVainPolling(&polling) <= 15)
    }
}
