// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Reads and changes synchronizable rows, and the state of synchronization, in one transaction.
///
/// The state consists of pages in the table `page`, which also contains the store's own pages. Changes that this
/// device must still send are not stored: they are the rows whose version differs from the version in the state.
package struct SynchronizationSession {
    private let reader: ReadSession
    /// The session that makes the changes; `nil` in a read transaction.
    private let writer: WriteSession?

    fileprivate init(_ reader: ReadSession, writer: WriteSession?) {
        self.reader = reader
        self.writer = writer
    }

    /// The number, in the table `page`, of page 0 of the synchronization state; the store's own pages have lower ones.
    private static let firstPage: Int64 = 1 << 32
    /// The valid numbers of pages of the synchronization state; `firstPage` is added to them in the table.
    package static let numbers: ClosedRange<Int64> = 0...(1 << 40)
    /// Numbers of pages that exist only while this device belongs to a circle, such as the page of its keys.
    ///
    /// A circle is the set of devices that synchronize one keychain. Pages with higher numbers do not show whether this
    /// device belongs to a circle: for example, the pages of conflicts stay after it has left its circle.
    private static let memberNumbers: ClosedRange<Int64> = 0...(1 << 20)

    private var keys: StoreKeys { reader.store.keys }

    /// Returns whether a store belongs to a circle of devices; false if the table `page` is damaged.
    static func isPresent(in rows: ItemStore) throws(StatusError) -> Bool {
        var isPresent = false
        do throws(StatusError) {
            let range = firstPage...firstPage + memberNumbers.upperBound
            try rows.forEachPage(in: range) { _, _ in isPresent = true }
        } catch {
            guard error.isDamage else { throw error }
        }
        return isPresent
    }

    private func changing() throws(StatusError) -> WriteSession {
        guard let writer else { throw StatusError(.internalInconsistency) }
        return writer
    }
}

extension EmbeddedKeychain {
    /// Returns whether the store belongs to a circle of synchronized devices; works while the keychain is locked too.
    package func isSynchronized() throws(StatusError) -> Bool {
        try read { session throws(StatusError) in try SynchronizationSession.isPresent(in: session.rows) }
    }

    /// Calls the closure in a transaction that is durable on return.
    package func synchronize<Result: Sendable>(
        _ body: (SynchronizationSession) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        try write { session throws(StatusError) in
            _ = session.reader.reloadLockState()
            return try session.change { () throws(StatusError) in
                try body(SynchronizationSession(session.reader, writer: session))
            }
        }
    }

    package func readSynchronization<Result: Sendable>(
        _ body: (SynchronizationSession) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        try read { session throws(StatusError) in
            try session.reload()
            return try session.rows.read { () throws(StatusError) in
                _ = try session.rows.page(PageNumber.header)
                try session.refresh()
                return try body(SynchronizationSession(session, writer: nil))
            }
        }
    }
}

extension SynchronizationSession {
    /// The number of writes to the store before the current transaction.
    package var generation: UInt64 { reader.state.header.generation }
}

extension SynchronizationSession {
    /// Returns all synchronizable rows, tombstones included.
    package func rows() throws(StatusError) -> [SynchronizedRow] {
        var rows: [SynchronizedRow] = []
        try reader.rows.forEachSynchronizable { rows.append($0) }
        return rows
    }

    /// Checks that no program without the store's keys has removed or restored rows.
    package func verifyRows() throws(StatusError) { try reader.verifyAllBuckets() }

    package func row(of identity: ItemIdentity) throws(StatusError) -> SynchronizedRow? {
        try reader.rows.row(.identity(identity), secrets: false).map { SynchronizedRow($0.row.columns) }
    }

    package func isUnlocked(_ protection: ProtectionClass) -> Bool {
        (try? reader.state.keys.classKey(for: protection)) != nil
    }

    /// Decrypts an item; `nil` if it is missing, has constraints or must not leave the device.
    ///
    /// - Throws: `interactionNotAllowed` with `classKeyAbsent` if the item is locked; `undecodable` if its row is
    ///   damaged.
    package func open(_ row: SynchronizedRow) throws(StatusError) -> SynchronizedItem? {
        guard let stored = try reader.rows.row(.identity(row.identity), secrets: true) else { return nil }
        let sealer = ItemSealer(keys: keys)
        guard try sealer.accessControl(of: stored.row, with: reader.state.keys) == nil else { return nil }
        let item = try sealer.open(stored.row, with: reader.state.keys)
        return SynchronizedItem(
            itemClass: stored.row.columns.itemClass,
            protection: stored.row.columns.protection,
            attributes: item.attributes,
            value: try sealer.decryptedValue(of: item)
        )
    }

    package func identity(of item: SynchronizedItem) -> ItemIdentity {
        keys.index.identity(
            of: item.itemClass,
            item.attributes,
            in: group(of: item),
            synchronizable: true
        )
    }

    private func group(of item: SynchronizedItem) -> Bytes8 {
        guard case .string(let name)? = item.attributes[.accessGroup] else { return .zero }
        return reader.digest(ofGroup: name)
    }

    /// Writes an item that another device has sent.
    ///
    /// This replaces a row with the same identity, and keeps that row's persistent reference.
    ///
    /// - Throws: `interactionNotAllowed` with `classKeyAbsent` if the item's protection class is locked; errors
    ///   of ``ReadSession/verifyBucket(of:)``.
    package func put(_ item: SynchronizedItem) throws(StatusError) -> SynchronizedRow {
        let writer = try changing()
        let identity = identity(of: item)
        let old = try reader.rows.row(.identity(identity), secrets: false)
        let number: Bytes16 = if let old { old.row.columns.item } else { try reader.rows.nextItem() }
        let columns = ItemColumns(
            item: number,
            identity: identity,
            version: (old?.row.columns.version ?? 0) + 1,
            protection: item.protection,
            synchronizable: true,
            tombstone: false,
            digests: IndexEntries(of: item.itemClass, item.attributes, in: group(of: item), by: keys.index)
                .column
        )
        let sealed = try ItemSealer(keys: keys).seal(
            item.attributes,
            secret: item.value,
            columns: columns,
            under: nil,
            with: writer.state.keys
        )
        if let old {
            try reader.verifyBucket(of: identity)
            try writer.replace(old, with: sealed)
        } else {
            try writer.insert(sealed)
        }
        return SynchronizedRow(columns)
    }

    /// Deletes the row with this identity, without decrypting it and without leaving a tombstone.
    package func removeRow(of identity: ItemIdentity) throws(StatusError) {
        guard let old = try reader.rows.row(.identity(identity), secrets: false) else { return }
        try changing().deleteUnopened(old)
    }
}

extension SynchronizationSession {
    package func page(_ number: Int64) throws(StatusError) -> [UInt8]? {
        guard let box = try reader.rows.page(Self.firstPage + number) else { return nil }
        return try keys.openSynchronization(box, page: number)
    }

    /// Returns the numbers of the pages in a range that exist, without decrypting the pages.
    package func pageNumbers(in range: ClosedRange<Int64>) throws(StatusError) -> [Int64] {
        var numbers: [Int64] = []
        let range = Self.firstPage + range.lowerBound...Self.firstPage + range.upperBound
        try reader.rows.forEachPage(in: range) { number, _ in numbers.append(number - Self.firstPage) }
        return numbers
    }

    package func forEachPage(
        in range: ClosedRange<Int64>,
        _ body: (Int64, [UInt8]) throws(StatusError) -> Void
    ) throws(StatusError) {
        let range = Self.firstPage + range.lowerBound...Self.firstPage + range.upperBound
        try reader.rows.forEachPage(in: range) { number, box throws(StatusError) in
            let number = number - Self.firstPage
            try body(number, keys.openSynchronization(box, page: number))
        }
    }

    package func write(_ content: [UInt8], asPage number: Int64) throws(StatusError) {
        let box = keys.sealSynchronization(content, page: number)
        try changing().rows.write(box, asPage: Self.firstPage + number)
    }

    package func deletePage(_ number: Int64) throws(StatusError) {
        try changing().rows.deletePage(Self.firstPage + number)
    }

    /// Reads a page that is encrypted with the key of a protection class; `nil` if it does not exist.
    ///
    /// - Throws: `interactionNotAllowed` with `classKeyAbsent` if the class is locked; `undecodable` if the page is
    ///   damaged.
    package func page(_ number: Int64, sealedLike protection: ProtectionClass) throws(StatusError) -> [UInt8]?
    {
        guard let box = try reader.rows.page(Self.firstPage + number) else { return nil }
        let keys = reader.state.keys
        let current = try keys.classKey(for: protection)
        do throws(StatusError) {
            return try current.openSynchronization(box, page: number)
        } catch {
            guard keys.keybag.isRotating else { throw error }
            let former = try keys.classKey(for: protection, keys.keybag.parity.other)
            return try former.openSynchronization(box, page: number)
        }
    }

    /// Re-encrypts all pages that are encrypted with former class keys, with the current class keys.
    ///
    /// - Throws: `interactionNotAllowed` with `classKeyAbsent` if a class is locked.
    static func resealPages(in session: WriteSession) throws(StatusError) {
        let keybag = session.state.keys.keybag
        var resealed: [(number: Int64, content: [UInt8])] = []
        let range = firstPage...firstPage + numbers.upperBound
        try session.rows.forEachPage(in: range) { number, box throws(StatusError) in
            let page = number - firstPage
            guard (try? session.store.keys.openSynchronization(box, page: page)) == nil else { return }
            for entry in keybag.entries where entry.id.parity != keybag.parity {
                let former = try session.state.keys.classKey(for: entry.id.protection, entry.id.parity)
                guard var plain = try? former.openSynchronization(box, page: page) else { continue }
                defer { plain.wipe() }
                let current = try session.state.keys.classKey(for: entry.id.protection)
                resealed.append((number, current.sealSynchronization(plain, page: page)))
                return
            }
        }
        for page in resealed { try session.rows.write(page.content, asPage: page.number) }
    }

    /// Writes a page, encrypted with the key of a protection class.
    package func write(
        _ content: [UInt8],
        asPage number: Int64,
        sealedLike protection: ProtectionClass
    ) throws(StatusError) {
        let key = try reader.state.keys.classKey(for: protection)
        let box = key.sealSynchronization(content, page: number)
        try changing().rows.write(box, asPage: Self.firstPage + number)
    }
}

extension SynchronizedRow {
    fileprivate init(_ columns: ItemColumns) {
        self.init(
            item: columns.item,
            identity: columns.identity,
            version: columns.version,
            protection: columns.protection,
            isTombstone: columns.tombstone
        )
    }
}
