// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// An item in the search cache.
enum CachedItem {
    /// The returned contents of an item, without its value.
    case complete(FoundItem)
    /// An encrypted item, whose value each cached search decrypts again.
    case sealed(SealedItem)
    /// The encrypted value of an item, for a search that returns only the value.
    case value(SealedValue)
}

/// An item in the search cache whose value is encrypted.
///
/// This is a class, like ``CachedSearch``: copies of a structure would retain each of its arrays, which takes
/// a quarter of the time of a cached read.
final class SealedItem {
    let row: ItemRow
    /// The decrypted attributes.
    let attributes: Attributes
    let secretTag: Bytes16?

    init(_ row: ItemRow, attributes: Attributes, secretTag: Bytes16?) {
        self.row = row
        self.attributes = attributes
        self.secretTag = secretTag
    }
}

final class CachedSearch {
    fileprivate let request: CopyRequest
    fileprivate let groups: [String]
    let items: [CachedItem]
    /// The approximate size of the search and its items, in bytes.
    fileprivate let byteCount: Int

    var returning: ReturnKeys { request.returning }

    fileprivate init(_ request: CopyRequest, in groups: [String], items: [CachedItem], byteCount: Int) {
        self.request = request
        self.groups = groups
        self.items = items
        self.byteCount = byteCount
    }
}

/// Caches the results of searches until the store's contents change.
///
/// Values are cached in encrypted form: decrypting them is fast, and requires the class key each time. Items
/// with an access control are never cached. A result is cached when its search is repeated before the next
/// change, so that reading many items once does not fill the cache.
struct SearchCache {
    /// The cached searches by hash value; a search replaces another one with the same hash value.
    private var entries: [Int: CachedSearch] = [:]
    private var byteCount = 0
    /// The state of the write-ahead log from which the entries were read.
    private var header: LogHeader?
    /// The items that the current search has found so far; `nil` while no result is recorded.
    private var recorded: [CachedItem]?
    /// The size of the recorded items and of their entry, in bytes.
    private var recordedCount = 0
    /// A filter that records approximately which searches were made recently.
    ///
    /// Some bits of a search's hash value select two slots (bytes of the array), and both store a byte made of other
    /// bits.
    private var traces: [UInt8] = []
    private var searchCount = 0
    /// A number that is added to the byte of each search in `traces`.
    ///
    /// It changes with the contents of the store, so that searches from before a change are not recognized.
    private var traceSalt: UInt8 = 0

    /// The maximum size of all entries together, in bytes.
    static let limit = 8 << 20
    private static let largestItem = 64 << 10
    private static let traceCount = 1 << 16
    /// The initial number of slots in `traces`; after that many searches, it grows to `traceCount` slots.
    ///
    /// A program with few searches thus need not clear the 64 KiB of the full filter.
    private static let firstTraceCount = 1 << 9

    /// Returns the hash value of a search, which the other functions take as an argument.
    static func hash(of request: CopyRequest) -> Int {
        // Hash only the fields that often differ: before a cached result is used, all fields are compared.
        var hash = SearchHash(seed: request.returning.rawValue)
        hash.combine(request.filter.itemClass.rawValue)
        if let reference = request.filter.reference {
            unsafe withUnsafeBytes(of: reference.item) { unsafe hash.combine($0) }
        }
        let entries = request.filter.attributes.entries.span
        for index in entries.indices {
            hash.combine(entries[index].attribute.rawValue)
            unsafe entries[index].value.withCanonicalBytes { unsafe hash.combine($0) }
        }
        return hash.value
    }

    /// Returns the cached result of a search; `nil` if it is not cached or the contents have changed.
    mutating func result(
        of request: CopyRequest,
        in groups: [String],
        hash: Int,
        at header: LogHeader
    ) -> CachedSearch? {
        guard self.header == header else {
            removeAll()
            self.header = header
            // Add 2, because the lowest bit of each byte in `traces` marks a used slot.
            traceSalt &+= 2
            return nil
        }
        guard let entry = entries[hash], entry.request == request, entry.groups == groups else { return nil }
        return entry
    }

    /// Starts recording the current search's result if the same search was made since the last change.
    mutating func beginRecording(hash: Int) {
        recorded = wasMade(hash) ? [] : nil
        recordedCount = Self.entryOverhead
    }

    /// Adds an item found by the current search to the recorded result.
    mutating func record(_ item: CachedItem) {
        guard recorded != nil else { return }
        let count = item.byteCount
        recordedCount += count
        guard count <= Self.largestItem, recordedCount <= Self.limit / 4 else { return recorded = nil }
        recorded?.append(item)
    }

    var isRecording: Bool { recorded != nil }

    /// Stops recording, because the current search's result does not depend on the store's contents alone.
    mutating func cancelRecording() { recorded = nil }

    /// Caches the recorded result if the other cached results were read from the same contents of the database.
    ///
    /// `header` is the header of the WAL index that was read before the search began.
    mutating func endRecording(
        of request: CopyRequest,
        in groups: [String],
        hash: Int,
        at header: LogHeader
    ) {
        defer { recorded = nil }
        guard let items = recorded, self.header == header else { return }
        byteCount -= entries[hash]?.byteCount ?? 0
        if byteCount + recordedCount > Self.limit { removeEntries() }
        entries[hash] = CachedSearch(request, in: groups, items: items, byteCount: recordedCount)
        byteCount += recordedCount
    }

    var isEmpty: Bool { entries.isEmpty }

    mutating func removeAll() {
        guard !isEmpty else { return }
        removeEntries()
    }

    private mutating func removeEntries() {
        entries = [:]
        byteCount = 0
    }

    /// Returns whether the search was made since the last change, and records that it was.
    private mutating func wasMade(_ hash: Int) -> Bool {
        searchCount += 1
        if searchCount == 1 || searchCount == Self.firstTraceCount {
            let count = searchCount == 1 ? Self.firstTraceCount : Self.traceCount
            traces = [UInt8](repeating: 0, count: count)
        }
        let hash = UInt(bitPattern: hash)
        // Use two slots, so that another search rarely overwrites both.
        let mask = UInt(traces.count - 1)
        let slots = [Int(hash & mask), Int(hash >> 16 & mask)]
        let trace = (UInt8(truncatingIfNeeded: hash >> 32) &+ traceSalt) | 1
        defer { for slot in slots { traces[slot] = trace } }
        return slots.contains { traces[$0] == trace }
    }

    /// The approximate size of a cached search without its items, in bytes.
    private static let entryOverhead = 320
}

extension CachedItem {
    fileprivate var byteCount: Int {
        switch self {
        case .complete(let item): 160 + item.attributes.byteCount
        case .sealed(let item):
            160 + item.row.columns.digests.count + item.row.attributes.count + (item.row.secret?.count ?? 0)
                + item.attributes.byteCount
        case .value(let value): 160 + value.byteCount
        }
    }
}

extension Attributes {
    fileprivate var byteCount: Int {
        entries.reduce(32) { count, entry in
            switch entry.value {
            case .string(let text): count + 48 + text.utf8.count
            case .data(let data): count + 48 + data.count
            case .number, .date: count + 32
            }
        }
    }
}

/// Computes hash values of searches.
///
/// It is faster than `Hasher`. It need not resist chosen collisions: a search with the same hash value only
/// replaces the other search in the cache.
private struct SearchHash {
    private var state: UInt64

    private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15

    init(seed: UInt8) { state = UInt64(seed) &+ Self.factor }

    @inline(__always)
    mutating func combine(_ word: some FixedWidthInteger) {
        state = (state ^ UInt64(truncatingIfNeeded: word)) &* Self.factor
        state ^= state >> 32
    }

    @inline(__always)
    mutating func combine(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        while offset + 8 <= bytes.count {
            unsafe combine(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        while offset < bytes.count {
            unsafe combine(bytes[offset])
            offset += 1
        }
        // The byte count separates a value from the next value in the hash.
        combine(bytes.count)
    }

    var value: Int { Int(truncatingIfNeeded: state ^ state >> 29) }
}
