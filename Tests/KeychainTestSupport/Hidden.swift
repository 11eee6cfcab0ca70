// SPDX-License-Identifier: Apache-2.0

import CKeychainProbes
package import KeychainModel
import KeychainStore

/// A secret to search for in this process's memory.
///
/// The bytes are stored inverted, so that the search does not find this copy.
package struct Hidden: Sendable {
    private let inverted: [UInt8]

    package init(_ bytes: UnsafeRawBufferPointer) { inverted = bytes.map { ~$0 } }

    /// Creates random bytes, of which memory contains only the inverted copy.
    package init(random count: Int) { inverted = (0..<count).map { _ in .random(in: 0...255) } }

    /// Creates random letters from a to p, of which memory contains only the inverted copy.
    package init(randomLetters count: Int) {
        inverted = (0..<count).map { _ in ~UInt8(ascii: "p") + .random(in: 0...15) }
    }

    private init(inverted: [UInt8]) { self.inverted = inverted }

    /// The same bytes in reverse order, because a library may store a large number in the other byte order.
    package var reversed: Hidden { Hidden(inverted: inverted.reversed()) }

    package var exposed: SecretBytes {
        let inverted = inverted
        return SecretBytes(count: inverted.count) { target in
            for (offset, byte) in inverted.enumerated() { target[offset] = ~byte }
        }
    }

    package var count: Int { Self.counts(of: [self])[0] }

    /// Returns the number of occurrences of each secret in this process's memory.
    ///
    /// Memory is searched once for each length. A count is -1 if that search fails.
    package static func counts(of hidden: [Hidden]) -> [Int] {
        var counts = [Int](repeating: -1, count: hidden.count)
        for (length, indices) in Dictionary(grouping: hidden.indices, by: { hidden[$0].inverted.count }) {
            let needles = indices.flatMap { hidden[$0].inverted }
            var found = [CInt](repeating: -1, count: indices.count)
            guard count_in_memory(needles, length, indices.count, &found) == 0 else { continue }
            for (index, count) in zip(indices, found) { counts[index] = Int(count) }
        }
        return counts
    }

    /// Returns a shell command that prints the letters; the command itself does not contain them.
    package var shellThatPrintsLetters: String {
        let mirrored = inverted.map { UInt8(ascii: "a") + ($0 &- ~UInt8(ascii: "p")) }
        return "printf %s \(String(decoding: mirrored, as: UTF8.self)) | tr a-p ponmlkjihgfedcba"
    }
}
