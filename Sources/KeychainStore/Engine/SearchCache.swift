// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel

/// An item in the cache.
enum CachedItem {
    /// A result without a value.
    case complete(FoundItem)
    /// An item whose value is opened for each result.
    ///
    /// The attributes are `nil` if the identity and the columns selected the item.
    case sealed(ItemRow, attributes: Attributes?, secretTag: Bytes16?)
}

/// The results of earlier searches, valid as long as nothing in the store has changed.
///
/// Values stay sealed in it: opening one is quick, and needs the key of its class each time. Items with an access control
/// are never in it. A search that is made once leaves only a trace, so that reading many items does not fill the memory.
struct SearchCache {
    struct Key: Hashable {
        let request: CopyRequest
        let groups: [String]
    }

    private var entries: [Key: [CachedItem]] = [:]
    private var byteCount = 0
    /// The contents to which the entries belong.
    private var header: LogHeader?
    /// What the present search has found; `nil` if its result must not be kept.
    private var recorded: [CachedItem]?
    /// A byte of the hash of each search that was made, in the slot that its other bits choose.
    private var traces: [UInt8] = []

    /// The number of bytes that the entries take at most.
    static let limit = 8 << 20
    private static let largestItem = 64 << 10
    private static let traceCount = 1 << 16

    /// The result of a search, if it is cached and the contents are still the same.
    mutating func items(for key: Key, at header: LogHeader) -> [CachedItem]? {
        guard self.header == header else {
            removeAll()
            self.header = header
            return nil
        }
        return entries[key]
    }

    /// Begins to record the result of a search, if the search was made before.
    mutating func beginRecording(for key: Key) { recorded = wasMade(key) ? [] : nil }

    /// Records an item that the present search has found.
    mutating func record(_ item: CachedItem) {
        if item.byteCount > Self.largestItem { recorded = nil } else { recorded?.append(item) }
    }

    /// Keeps the result of the present search out of the cache: it depends on more than the contents.
    mutating func cancelRecording() { recorded = nil }

    /// Keeps the recorded result.
    ///
    /// The header is the one that was read before the search began.
    mutating func endRecording(for key: Key, at header: LogHeader) {
        defer { recorded = nil }
        guard let items = recorded, self.header == header else { return }
        let count = items.reduce(Self.entryOverhead) { $0 + $1.byteCount }
        guard count <= Self.limit / 4 else { return }
        if byteCount + count > Self.limit { removeEntries() }
        entries[key] = items
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

    /// Whether a search was made before; remembers that it is made now.
    private mutating func wasMade(_ key: Key) -> Bool {
        if traces.isEmpty { traces = [UInt8](repeating: 0, count: Self.traceCount) }
        let hash = UInt(bitPattern: key.hashValue)
        // Two slots, so that another search seldom overwrites both.
        let slots = [Int(hash & 0xffff), Int(hash >> 16 & 0xffff)]
        let trace = UInt8(truncatingIfNeeded: hash >> 32) | 1
        defer { for slot in slots { traces[slot] = trace } }
        return slots.contains { traces[$0] == trace }
    }

    /// The bytes of an entry without its items, roughly.
    private static let entryOverhead = 320
}

extension CachedItem {
    fileprivate var byteCount: Int {
        switch self {
        case .complete(let item): 160 + item.attributes.byteCount
        case .sealed(let row, let attributes, _):
            160 + row.columns.digests.count + row.attributes.count + (row.secret?.count ?? 0)
                + (attributes?.byteCount ?? 0)
        }
    }
}

extension Attributes {
    fileprivate var byteCount: Int {
        entries.reduce(32) { count, entry in
            switch entry.value {
            case .text(let text): count + 48 + text.utf8.count
            case .data(let data): count + 48 + data.count
            case .number, .date: count + 32
            }
        }
    }
}
