// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import Testing

@testable import KeychainStore

/// The maximum size of a search cache.
@Suite struct SearchCacheLimitTests {
    private let header: LogHeader

    init() throws {
        let words: [UInt64] = [1, 2 | 1 << 32, 3, 4, 5, 6]
        header = try #require(
            (words + words).withUnsafeBytes { bytes in bytes.baseAddress.flatMap { LogHeader(at: $0) } }
        )
    }

    private func request(_ number: Int) -> CopyRequest {
        CopyRequest(
            filter: .generic([.account: .string("\(number)")]),
            limit: .all,
            returning: .attributes
        )
    }

    private func item(_ size: Int) -> CachedItem {
        .complete(
            FoundItem(
                reference: PersistentReference(itemClass: .genericPassword, item: .zero),
                attributes: [.generic: .data([UInt8](repeating: 0, count: size))],
                accessControl: AccessControl(protection: .whenUnlocked),
                secret: nil
            )
        )
    }

    /// Makes a search twice, as if it found items of these sizes, and returns whether its result is cached.
    private func search(_ number: Int, finding sizes: [Int], in cache: inout SearchCache) -> Bool {
        let request = request(number)
        let hash = SearchCache.hash(of: request)
        for _ in 0..<2 where !isCached(number, in: &cache) {
            cache.beginRecording(hash: hash)
            for size in sizes { cache.record(item(size)) }
            cache.endRecording(of: request, in: [], hash: hash, at: header)
        }
        return isCached(number, in: &cache)
    }

    private func isCached(_ number: Int, in cache: inout SearchCache) -> Bool {
        let request = request(number)
        return cache.result(of: request, in: [], hash: SearchCache.hash(of: request), at: header) != nil
    }

    @Test func `the results of many searches never exceed the limit together`() {
        let size = 60 << 10
        var cache = SearchCache()
        var largest = 0
        for number in 0..<200 {
            let isNewCached = search(number, finding: [size], in: &cache)
            #expect(isNewCached)
            largest = max(largest, size * (0...number).count { isCached($0, in: &cache) })
        }
        #expect(200 * size > SearchCache.limit)
        #expect(largest <= SearchCache.limit)
        #expect(largest > SearchCache.limit * 9 / 10)
    }

    @Test(arguments: [(1, 60, true), (1, 64, false), (30, 60, true), (35, 60, false)])
    func `a large item or a long result is not cached`(count: Int, kibibytes: Int, isCached: Bool) {
        var cache = SearchCache()
        let sizes = Array(repeating: kibibytes << 10, count: count)
        let wasCached = search(0, finding: sizes, in: &cache)
        #expect(wasCached == isCached)
    }
}
