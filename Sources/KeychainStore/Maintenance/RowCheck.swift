// SPDX-License-Identifier: Apache-2.0

// The folder `Maintenance` checks, copies and repairs whole stores, regardless of access groups, for the user
// who owns the files. It uses the other folders of this target, which in turn use only `StatusError.isDamage`
// from this one.

import KeychainModel

/// Checks rows one by one, and collects the result; the header may be damaged.
struct RowCheck {
    let keys: StoreKeys
    let classKeys: KeySession
    private(set) var result = StoreVerification()
    /// The multiset hashes of the rows that passed the check so far, by bucket number.
    private(set) var sums = [MultisetHash](repeating: .zero, count: Bucket.count)
    private(set) var tombstoneSum = MultisetHash.zero
    private(set) var items: UInt64 = 0
    private(set) var tombstones: UInt64 = 0
    /// Whether the primary key of any decrypted row has an optional part.
    private var hasOptionalKeys = false
    /// The names of the access groups that intact rows contain, by digest.
    private var groups: [Bytes8: String] = [:]
    /// The indexes of the damaged rows in `result.damages`, with the digests of their access groups.
    private var unnamed: [(damage: Int, group: Bytes8)] = []
    /// The access groups and primary keys of the rows that passed the check so far.
    ///
    /// Another row with one of these identities is damaged.
    private var identities: Set<ItemIdentity> = []

    init(keys: StoreKeys, classKeys: KeySession) {
        self.keys = keys
        self.classKeys = classKeys
    }

    /// Checks all rows, the indexes and the database, and compares the rows with the header.
    ///
    /// Passes each valid row to `keep`, and returns the number of valid rows. `header` is `nil` if it is damaged.
    ///
    /// - Throws: `userCanceled` if `progress` returned false; errors that do not come from damage, such as a
    ///   lack of memory.
    mutating func run(
        on rows: ItemStore,
        header: StoreHeader?,
        _ progress: MaintenanceProgress,
        _ keep: (StoredRow) throws(StatusError) -> Void
    ) throws(StatusError) -> Int {
        var (count, unreadable) = (0, [] as [Int64])
        try RowScan(rows: rows).run(progress, unreadable: { unreadable.append($0) }) {
            stored throws(StatusError) in
            guard try check(stored) else { return }
            if try !Self.isIndexed(stored, in: rows) { add(.index) }
            try keep(stored)
            count += 1
        }
        for number in unreadable { add(number, nil, .record) }
        if try !rows.passesIntegrityCheck() { add(.database) }
        if let header { compare(with: header) } else { add(.header) }
        return count
    }

    /// Returns whether the indexes find a row; false if they are damaged.
    private static func isIndexed(_ stored: StoredRow, in rows: ItemStore) throws(StatusError) -> Bool {
        do throws(StatusError) {
            return try rows.indexLeads(to: stored)
        } catch {
            guard error.isDamage else { throw error }
            return false
        }
    }

    /// Checks a row and records a problem; returns whether the row is kept in a repaired store.
    private mutating func check(_ stored: StoredRow) throws(StatusError) -> Bool {
        let columns = stored.row.columns
        var problem: StoreVerification.Problem?
        var isOpened = false
        do throws(StatusError) {
            problem = try opened(stored.row)
            isOpened = true
        } catch {
            guard error.isDamage else { throw error }
            if error.isUnsatisfiedConstraint {
                result.constrained += 1
            } else if error.reason == .classKeyAbsent, classKeys.keybag.passcodeIsSet {
                result.locked += 1
            } else {
                // Without a passcode, no class is locked, so a missing class key means that the row is damaged.
                problem = .record
            }
        }
        if problem == nil, !identities.insert(columns.identity).inserted { problem = .record }
        guard problem == nil else {
            unnamed.append((result.damages.count, columns.accessGroup))
            add(stored.number, columns.itemClass, problem ?? .record)
            return false
        }
        if isOpened {
            result.intact += 1
            if columns.tombstone { result.tombstones += 1 }
        }
        keep(stored.row)
        return true
    }

    /// Decrypts a row, and compares its digests with its attributes; returns the problem, if any.
    private mutating func opened(_ row: ItemRow) throws(StatusError) -> StoreVerification.Problem? {
        let sealer = ItemSealer(keys: keys)
        let item = try sealer.open(row, with: classKeys)
        _ = try sealer.decryptedValue(of: item)
        if ItemSchema.of(row.columns.itemClass).hasOptionalKey(item.attributes) { hasOptionalKeys = true }
        if case .string(let name)? = item.attributes[.accessGroup] { groups[row.columns.accessGroup] = name }
        return row.columns.tombstone || hasOwnDigests(item) ? nil : .digests
    }

    private func hasOwnDigests(_ item: OpenedItem) -> Bool {
        guard case .string(let group)? = item.attributes[.accessGroup] else { return false }
        let columns = item.row.columns
        let digest = keys.index.accessGroup(group)
        let identity = keys.index.identity(
            of: columns.itemClass,
            item.attributes,
            in: digest,
            synchronizable: columns.synchronizable
        )
        let entries = IndexEntries(of: columns.itemClass, item.attributes, in: digest, by: keys.index)
        return identity == columns.identity && entries.column == columns.digests
    }

    private mutating func keep(_ row: ItemRow) {
        let term = keys.rowHash(of: row)
        sums[row.columns.identity.bucket.number] += term
        if row.columns.tombstone {
            tombstoneSum += term
            tombstones += 1
        } else {
            items += 1
        }
    }

    /// Records a row that is damaged or could not be read.
    private mutating func add(_ row: Int64, _ itemClass: ItemClass?, _ problem: StoreVerification.Problem) {
        result.damages.append(.init(row: row, itemClass: itemClass, group: nil, problem: problem))
    }

    private mutating func add(_ problem: StoreVerification.Problem) {
        if !result.problems.contains(problem) { result.problems.append(problem) }
    }

    /// Compares the header with the rows that were checked, and records differences.
    private mutating func compare(with header: StoreHeader) {
        var header = header
        let expected: [MultisetHash]
        do throws(StatusError) {
            expected = try header.bucketSums.all(with: keys)
        } catch {
            return add(.header)
        }
        // If rows are damaged, the multiset hashes cannot match; these rows have been reported already.
        guard result.damages.isEmpty else { return }
        if sums != expected || tombstoneSum != header.tombstoneSum { add(.rows) }
        if items != header.itemCount || tombstones != header.tombstoneCount { add(.counts) }
        if hasOptionalKeys, !header.hasOptionalKeys { add(.counts) }
    }

    /// Returns the result, with the group names of damaged rows as found in intact rows of the same group.
    func finished() -> StoreVerification {
        var result = result
        for (index, group) in unnamed { result.damages[index].group = groups[group] }
        return result
    }
}

/// Reads all rows by row number, without using an index.
struct RowScan {
    let rows: ItemStore

    /// Passes each readable row to `body`, and the number of each unreadable row to `unreadable`.
    ///
    /// - Throws: `userCanceled` if `progress` returned false; errors that do not come from damage, and those of `body`.
    func run(
        _ progress: MaintenanceProgress,
        unreadable: (Int64) -> Void,
        _ body: (StoredRow) throws(StatusError) -> Void
    ) throws(StatusError) {
        let numbers = try rows.rowNumbers()
        for (completed, number) in numbers.enumerated() {
            if completed % 256 == 0, !progress(completed, numbers.count) { throw Self.canceled }
            let stored: StoredRow?
            do throws(StatusError) {
                stored = try rows.row(.number(number), secrets: true)
            } catch {
                // A lack of memory or a busy database does not mean that the row is damaged.
                guard error.isDamage else { throw error }
                unreadable(number)
                continue
            }
            if let stored { try body(stored) } else { unreadable(number) }
        }
        guard progress(numbers.count, numbers.count) else { throw Self.canceled }
    }

    static let canceled = StatusError(.userCanceled, .changesCanceled)
}

extension StatusError {
    /// Whether the error is taken for damage: any error but a lack of memory or a busy database.
    package var isDamage: Bool { status != .allocation && reason != .writerBusy }

    /// Whether the item is valid, but this call does not satisfy its access control.
    fileprivate var isUnsatisfiedConstraint: Bool {
        guard reason != .passcodeNotSet else { return false }
        return [.authenticationNeeded, .authenticationFailed].contains(status) || reason == .callerLevelTooLow
    }
}
