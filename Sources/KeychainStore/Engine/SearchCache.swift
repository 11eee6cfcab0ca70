// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// An item in the search cache.
enum CachedItem {
    /// A result without a value.
    case complete(FoundItem)
    /// An item whose value is decrypted for each result.
    case sealed(SealedItem)
}

/// A cached item whose value is encrypted.
///
/// A class, like ``CachedSearch``: copies of a structure would retain each of its arrays, which takes a quarter of a
/// cached read.
final class SealedItem {
    let row: ItemRow
    /// The attributes; `nil` if the identity and columns selected the item.
    let attributes: Attributes?
    let secretTag: Bytes16?

    init(_ row: ItemRow, attributes: Attributes?, secretTag: Bytes16?) {
        self.row = row
        self.attributes = attributes
        self.secretTag = secretTag
    }
}

/// A search and its cached result.
final class CachedSearch {
    fileprivate let request: CopyRequest
    fileprivate let groups: [String]
    let items: [CachedItem]

    fileprivate init(_ request: CopyRequest, in groups: [String], items: [CachedItem]) {
        self.request = request
        self.groups = groups
        self.items = items
    }
}

/// Results of earlier searches, valid until the store's contents change.
///
/// Values are cached encrypted: decrypting is fast, and requires the class key each time. Items with an
/// access control are never cached. A search is cached when it is repeated before the next change, so that
/// reading many items once does not fill the cache.
struct SearchCache {
    /// The results by hash value of the search; one that has the hash value of another replaces it.
    private var entries: [Int: CachedSearch] = [:]
    private var byteCount = 0
    /// The state of the write-ahead log from which the entries were read.
    private var header: LogHeader?
    /// The items found by the current search; `nil` if its result must not be cached.
    private var recorded: [CachedItem]?
    /// A filter of recent searches: one hash byte per slot, with the slot chosen by other hash bits.
    private var traces: [UInt8] = []
    private var searchCount = 0
    /// Distinguishes the traces of searches before and after a change.
    private var traceSalt: UInt8 = 0

    /// The maximum size of all entries in bytes.
    static let limit = 8 << 20
    private static let largestItem = 64 << 10
    private static let traceCount = 1 << 16
    /// The number of slots, and of searches, before the filter grows.
    ///
    /// A program with few searches need not clear 16 pages.
    private static let firstTraceCount = 1 << 9

    /// The hash value of a search, which every other call needs.
    static func hash(of request: CopyRequest) -> Int {
        var hasher = Hasher()
        // The other fields seldom differ between two searches, so they are not hashed.
        hasher.combine(request.returning.rawValue)
        for entry in request.filter.attributes.entries {
            hasher.combine(entry.attribute.rawValue)
            entry.value.hash(into: &hasher)
        }
        return hasher.finalize()
    }

    /// The cached result of a search, if the contents have not changed.
    mutating func result(
        of request: CopyRequest,
        in groups: [String],
        hash: Int,
        at header: LogHeader
    ) -> CachedSearch? {
        guard self.header == header else {
            removeAll()
            self.header = header
            // An even number: the lowest bit marks a slot that is used.
            traceSalt &+= 2
            return nil
        }
        guard let entry = entries[hash], entry.request == request, entry.groups == groups else { return nil }
        return entry
    }

    /// Starts recording the result of a search that was made since the last change.
    mutating func beginRecording(hash: Int) { recorded = wasMade(hash) ? [] : nil }

    /// Records an item found by the current search.
    mutating func record(_ item: CachedItem) {
        if item.byteCount > Self.largestItem { recorded = nil } else { recorded?.append(item) }
    }

    /// Discards the recorded result: it depends on more than the contents.
    mutating func cancelRecording() { recorded = nil }

    /// Stores the recorded result.
    ///
    /// `header` is the one read before the search began.
    mutating func endRecording(
        of request: CopyRequest,
        in groups: [String],
        hash: Int,
        at header: LogHeader
    ) {
        defer { recorded = nil }
        guard let items = recorded, self.header == header else { return }
        let count = items.reduce(Self.entryOverhead) { $0 + $1.byteCount }
        guard count <= Self.limit / 4 else { return }
        if byteCount + count > Self.limit { removeEntries() }
        entries[hash] = CachedSearch(request, in: groups, items: items)
        byteCount += count
    }

    mutating func removeAll() {
        guard !entries.isEmpty else { return }
        removeEntries()
    }

    private mutating func removeEntries() {
        entries = [:]
        byteCount = 0
    }

    /// Whether a search was made since the last change; records that it is made now.
    private mutating func wasMade(_ hash: Int) -> Bool {
        searchCount += 1
        if searchCount == 1 || searchCount == Self.firstTraceCount {
            let count = searchCount == 1 ? Self.firstTraceCount : Self.traceCount
            traces = [UInt8](repeating: 0, count: count)
        }
        let hash = UInt(bitPattern: hash)
        // Two slots, so that another search rarely overwrites both.
        let mask = UInt(traces.count - 1)
        let slots = [Int(hash & mask), Int(hash >> 16 & mask)]
        let trace = (UInt8(truncatingIfNeeded: hash >> 32) &+ traceSalt) | 1
        defer { for slot in slots { traces[slot] = trace } }
        return slots.contains { traces[$0] == trace }
    }

    /// The approximate size of an entry without its items.
    private static let entryOverhead = 320
}

extension CachedItem {
    fileprivate var byteCount: Int {
        switch self {
        case .complete(let item): 160 + item.attributes.byteCount
        case .sealed(let item):
            160 + item.row.columns.digests.count + item.row.attributes.count + (item.row.secret?.count ?? 0)
                + (item.attributes?.byteCount ?? 0)
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
