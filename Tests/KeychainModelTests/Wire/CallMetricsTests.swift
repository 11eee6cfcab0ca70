// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import Testing

@Suite struct CallMetricsTests {
    @Test func `calls, failures and latencies are counted`() {
        var metrics = CallMetrics(.read)
        for microseconds: UInt64 in 1...100 {
            metrics.count(nanoseconds: microseconds * 1_000, failed: microseconds == 7)
        }
        #expect(metrics.calls == 100 && metrics.failures == 1)
        #expect(metrics.totalNanoseconds == 5_050_000 && metrics.longestNanoseconds == 100_000)
        #expect(metrics.microseconds(ofPart: 0.5) == 64)
        #expect(metrics.microseconds(ofPart: 0.99) == 128)
    }

    @Test(arguments: [0, 1, 999, 1_000, UInt64.max])
    func `any latency has a bucket`(nanoseconds: UInt64) {
        var metrics = CallMetrics(.add)
        metrics.count(nanoseconds: nanoseconds, failed: false)
        #expect(metrics.buckets.reduce(0, +) == 1)
        #expect(CallMetrics(.add).microseconds(ofPart: 0.5) >= 1)
    }
}
