// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Writes a backup of items that were read one by one through requests, because a daemon owns the store.
package struct ItemBackup {
    private var writer: BackupWriter
    private let write: ([UInt8]) throws(StatusError) -> Void
    private var summary = BackupSummary()

    /// Derives the key of the backup, and writes its header.
    package init(
        under passphrase: borrowing SecretBytes,
        cost: PasscodeCost? = nil,
        to write: @escaping ([UInt8]) throws(StatusError) -> Void
    ) throws(StatusError) {
        let chosen: PasscodeCost = if let cost { cost } else { try PasscodeCost.calibrated() }
        let header = try BackupHeader(under: passphrase, cost: chosen)
        try write(header.bytes)
        writer = BackupWriter(header)
        self.write = write
    }

    /// Adds an item with its attributes and value, or counts it if it must not leave the device.
    package mutating func add(_ found: FoundItem) throws(StatusError) {
        guard found.accessControl.protection.rule.leavesDevice else { return addThisDeviceOnly() }
        summary.items += 1
        try writer.add(BackupItem(found), write)
    }

    /// Counts an item whose protection class forbids leaving the device.
    package mutating func addThisDeviceOnly() { summary.thisDeviceOnly += 1 }

    /// Counts items that are left out because of their access control.
    package mutating func addConstrained(_ count: UInt64) { summary.constrained += count }

    package mutating func finish() throws(StatusError) -> BackupSummary {
        defer { writer.wipe() }
        try writer.finish(summary, write)
        return summary
    }

    package mutating func wipe() { writer.wipe() }
}

extension BackupItem {
    fileprivate init(_ found: FoundItem) {
        self.init(
            itemClass: found.reference.itemClass,
            protection: found.accessControl.protection,
            synchronizable: found.attributes[.synchronizable] == .number(1),
            attributes: found.attributes.sealable(ItemSchema.of(found.reference.itemClass)),
            value: found.secret
        )
    }

    /// The item as a ``NewItem``, for a request to add it.
    fileprivate var addition: NewItem {
        var attributes = attributes
        attributes[.accessible] = .string(protection.name)
        attributes[.synchronizable] = .number(synchronizable ? 1 : 0)
        return NewItem(itemClass: itemClass, attributes: attributes, secret: value)
    }
}

extension BackupReader {
    /// Decrypts and authenticates the whole backup, and returns its items for requests to add them.
    ///
    /// - Throws: `undecodable` with `malformedBackup` if a chunk is damaged, the end is missing or other bytes follow
    ///   it; `userCanceled` if `progress` returned false; the error of reading the file.
    package mutating func additions(
        _ progress: MaintenanceProgress
    ) throws(StatusError) -> (items: [NewItem], summary: BackupSummary) {
        var items: [NewItem] = []
        let summary = try forEachItem { item throws(StatusError) in
            if items.count % 256 == 0, !progress(items.count, 0) { throw RowScan.canceled }
            items.append(item.addition)
        }
        return (items, summary)
    }
}
