// SPDX-License-Identifier: Apache-2.0

/// Parser limits for untrusted bytes.
///
/// Shared references expand: thirty nested arrays of two references each take a hundred bytes, but contain a
/// billion elements. Each object is read once, but its weight counts for each reference.
package struct ParserLimits: Hashable, Sendable {
    /// The maximum number of bytes.
    package var size = 16 << 20
    /// The maximum nesting depth of containers.
    package var depth = 64
    /// The maximum number of elements, counting each reference to one.
    ///
    /// Each 32 bytes of a string or of data count as another element.
    package var weight = 1 << 20

    package init() {}

    /// The weight of a value without elements.
    static func weight(ofByteCount count: Int) -> Int { 1 + count / 32 }

    /// Adds the weight of an element to that of a container.
    func adding(_ weight: Int, to total: Int) throws(KeyedArchiveError) -> Int {
        // Both are within the limit, so the sum cannot overflow.
        guard total + weight <= self.weight else { throw .tooLarge }
        return total + weight
    }
}
