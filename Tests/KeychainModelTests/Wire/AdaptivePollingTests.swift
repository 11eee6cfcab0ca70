// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import Testing

@Suite struct AdaptivePollingTests {
    /// Polls without success; returns how many of the next waits block immediately.
    private static func pauseAfterFailedPolling(_ polling: inout AdaptivePolling) -> Int {
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

    @Test func `each failed polling makes more of the next waits block immediately, at most 255`() {
        var polling = AdaptivePolling()
        var pauses: [Int] = []
        for _ in 0..<10 {
            pauses.append(Self.pauseAfterFailedPolling(&polling))
            for _ in 0..<(pauses.last ?? 0) { #expect(!polling.poll { true }) }
        }
        #expect(pauses == [1, 3, 7, 15, 31, 63, 127, 255, 255, 255])
    }

    @Test func `each successful polling halves the number of waits that the next failed one makes block`() {
        var polling = AdaptivePolling()
        for _ in 0..<5 {
            for _ in 0..<Self.pauseAfterFailedPolling(&polling) { #expect(!polling.poll { true }) }
        }
        for _ in 0..<500 { _ = polling.poll { true } }
        // Polling that exceeds its time limit, for example because the thread is preempted, counts as failed. The
        // number of blocking waits can therefore be above 1.
        #expect(Self.pauseAfterFailedPolling(&polling) <= 15)
    }
}
