// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What it takes to make sets and dictionaries, whose elements Foundation compares wherever their hashes agree.
///
/// Foundation's hashes are no secret and see little: of data the first 80 bytes, of a text up to 96 characters, of an array
/// the number of its elements. So an archive can be written to have each element compared with each other. The unit is
/// the time to compare two small numbers in an array, a fraction of a microsecond.
struct ComparisonWork {
    /// The most elements of a set and keys of a dictionary.
    static let largestCount = 10_000

    /// The most for all sets and dictionaries of an archive: 362 empty arrays in a set, or 36 of 100
    /// numbers each.
    static let limit = 1 << 18

    /// The work of comparing two objects without elements, besides their bytes.
    private static let perObject = 3

    private var total = 0

    /// Comparing two objects without elements, or two containers but for their elements.
    static func scalar(ofWeight weight: Int) -> Int { perObject + weight }

    /// The sum, which stays at more than the limit once it is there.
    static func sum(_ first: Int, _ second: Int) -> Int { min(first + second, limit + 1) }

    /// Adds the comparisons of the elements of one set.
    ///
    /// - Returns: What was added.
    mutating func add(_ elements: [ArchivedObject]) throws(KeyedArchiveError) -> Int {
        guard elements.count <= Self.largestCount else { throw .tooLarge }
        var buckets: [Int: (count: Int, largest: Int)] = [:]
        for element in elements {
            guard let object = element.object else { continue }
            let bucket = buckets[object.hash] ?? (0, 0)
            buckets[object.hash] = (bucket.count + 1, max(bucket.largest, element.comparison))
        }
        var added = 0
        for bucket in buckets.values {
            // Neither factor is large enough for the product to overflow.
            let pairs = bucket.count * (bucket.count - 1) / 2
            added = Self.sum(added, pairs * bucket.largest)
        }
        total = Self.sum(total, added)
        guard total <= Self.limit else { throw .tooLarge }
        return added
    }
}
