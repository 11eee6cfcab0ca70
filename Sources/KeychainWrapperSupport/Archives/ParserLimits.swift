// SPDX-License-Identifier: Apache-2.0

/// Parser limits for untrusted bytes.
///
/// Thirty nested arrays, each with two references to the next, take a hundred bytes but contain a billion
/// elements. Each object is read once, but its weight is added for every reference to it.
package struct ParserLimits: Hashable, Sendable {
    /// The maximum size of the input, in bytes.
    package var size = 16 << 20
    package var depth = 64
    /// The maximum number of elements; an element counts once for each reference to it.
    ///
    /// Each 32 bytes of a string or of data count as another element.
    package var weight = 1 << 20

    package init() {}

    /// The weight of a value without elements, which has `count` bytes if it is a string or data.
    static func weight(ofByteCount count: Int) -> Int { 1 + count / 32 }

    /// Adds the weight of an element to the weight of its container; throws above the limit.
    func adding(_ weight: Int, to total: Int) throws(KeyedArchiveError) -> Int {
        // Both weights are within the limit, so the sum cannot overflow.
        guard total + weight <= self.weight else { throw .tooLarge }
        return total + weight
    }
}
