// SPDX-License-Identifier: Apache-2.0

/// How much a reader takes on for bytes that may be anybody's.
///
/// Sharing makes the two sizes differ: thirty arrays of two references each, all to the next, are a hundred bytes and a
/// thousand million elements. Each object is read once, however often it is referred to; what it weighs counts each time.
package struct ReadingLimits: Hashable, Sendable {
    /// The largest number of bytes.
    package var size = 16 << 20
    /// The largest depth of containers in containers.
    package var depth = 64
    /// The largest number of elements with everything counted as often as it is referred to; 32 bytes of a text or of data
    /// count as one more.
    package var weight = 1 << 20

    package init() {}

    /// What a value without elements weighs.
    static func weight(ofByteCount count: Int) -> Int { 1 + count / 32 }

    /// A container's weight with that of one more element.
    func adding(_ weight: Int, to total: Int) throws(KeyedArchiveError) -> Int {
        // Both are within the limit, so that the sum overflows nothing.
        guard total + weight <= self.weight else { throw .tooLarge }
        return total + weight
    }
}
