// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainStore

@Suite struct PaddingTests {
    static let sizes: [(Int, Int)] = [
        (0, 32), (1, 32), (32, 32), (33, 64), (255, 256), (256, 256),
        (257, 384), (384, 384), (385, 512), (2_047, 2_048), (2_048, 2_048),
        (2_049, 2_304), (2_304, 2_304), (2_305, 2_560), (4_096, 4_096), (4_097, 4_608), (1 << 20, 1 << 20),
        ((1 << 20) + 1, (1 << 20) + (1 << 17)), (20_000_000, 20_971_520),
    ]

    @Test(arguments: sizes)
    func `a size is padded to the next step`(count: Int, padded: Int) {
        #expect(Padding.paddedCount(count) == padded)
        if count < 1 << 20 {
            var bytes = [UInt8](repeating: 7, count: count)
            Padding.pad(&bytes)
            #expect(bytes.count == padded)
            #expect(bytes.prefix(count).allSatisfy { $0 == 7 })
            #expect(bytes.dropFirst(count).allSatisfy { $0 == 0 })
        }
    }

    @Test
    func `padded sizes are monotonic and grow by at most an eighth beyond the second step`() {
        var previous = 0
        for count in 0..<70_000 {
            let padded = Padding.paddedCount(count)
            #expect(padded >= count && padded >= previous)
            #expect(Padding.paddedCount(padded) == padded)
            if count > 2_048 { #expect((padded - count) * 8 <= count) }
            previous = padded
        }
    }
}
