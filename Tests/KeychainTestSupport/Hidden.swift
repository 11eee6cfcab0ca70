// SPDX-License-Identifier: Apache-2.0

import CKeychainProbes
package import KeychainModel
import KeychainStore

/// Bytes to find in this process's memory, stored inverted so that this copy is not found.
package struct Hidden: Sendable {
    private let inverted: [UInt8]

    package init(_ bytes: UnsafeRawBufferPointer) { inverted = bytes.map { ~$0 } }

    /// Random bytes that never exist in memory uninverted.
    package init(random count: Int) { inverted = (0..<count).map { _ in .random(in: 0...255) } }

    /// Random letters from a to p that never exist in memory uninverted.
    package init(randomLetters count: Int) {
        inverted = (0..<count).map { _ in ~UInt8(ascii: "p") + .random(in: 0...15) }
    }

    private init(inverted: [UInt8]) { self.inverted = inverted }

    /// The bytes in reverse order, as in a big number.
    package var reversed: Hidden { Hidden(inverted: inverted.reversed()) }

    package var exposed: SecretBytes {
        let inverted = inverted
        return SecretBytes(count: inverted.count) { target in
            for (place, byte) in inverted.enumerated() { target[place] = ~byte }
        }
    }

    /// The number of occurrences in memory.
    package var count: Int { Self.counts(of: [self])[0] }

    /// The number of occurrences of each in memory, with one search for each length.
    package static func counts(of hidden: [Hidden]) -> [Int] {
        var counts = [Int](repeating: -1, count: hidden.count)
        for (length, places) in Dictionary(grouping: hidden.indices, by: { hidden[$0].inverted.count }) {
            let needles = places.flatMap { hidden[$0].inverted }
            var found = [CInt](repeating: -1, count: places.count)
            guard count_in_memory(needles, length, places.count, &found) == 0 else { continue }
            for (place, count) in zip(places, found) { counts[place] = Int(count) }
        }
        return counts
    }

    /// Shell commands that print the letters without containing them.
    package var shellThatPrintsLetters: String {
        let mirrored = inverted.map { UInt8(ascii: "a") + ($0 &- ~UInt8(ascii: "p")) }
        return "printf %s \(String(decoding: mirrored, as: UTF8.self)) | tr a-p ponmlkjihgfedcba"
    }
}
