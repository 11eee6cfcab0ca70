// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The total cost of comparing elements with equal hashes, limited against malicious archives.
///
/// Foundation's hashes are unkeyed and cover little: the first 80 bytes of data, up to 96 characters of a string, only
/// the count of an array. A malicious archive can therefore cause a comparison of every pair of elements. Comparing two
/// small numbers in an array takes a fraction of a microsecond, and counts as a cost of four.
struct ComparisonWork {
    /// The maximum number of elements in a set, or keys in a dictionary.
    static let largestCount = 10_000

    /// The maximum cost for all sets and dictionaries of an archive.
    ///
    /// This allows 362 empty arrays in a set, or 36 arrays of 100 numbers each.
    static let limit = 1 << 18

    /// The cost of comparing two objects without elements, in addition to their bytes.
    private static let perObject = 3

    private var total = 0

    /// The cost of comparing two scalars, or two containers without their elements.
    static func scalar(ofWeight weight: Int) -> Int { perObject + weight }

    /// Adds two costs; any sum above the limit becomes `limit + 1`.
    static func sum(_ first: Int, _ second: Int) -> Int { min(first + second, limit + 1) }

    /// Adds the cost of comparing the elements of a set.
    ///
    /// - Returns: The cost that was added.
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
            // There are at most 10,000 elements, and a cost is at most `limit + 1`: the product cannot overflow.
            let pairs = bucket.count * (bucket.count - 1) / 2
            added = Self.sum(added, pairs * bucket.largest)
        }
        total = Self.sum(total, added)
        guard total <= Self.limit else { throw .tooLarge }
        return added
    }
}
