// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The encrypted value of an item without access control, and its associated data.
///
/// The associated data contains the item's identity. After a lookup by primary key, decryption therefore
/// returns the value of that item or fails.
package final class SealedValue: Sendable {
    let reference: PersistentReference
    let protection: ProtectionClass
    private let keyParity: KeyParity
    private let record: [UInt8]
    private let associatedData: [UInt8]

    /// Creates the encrypted value of a row; `nil` if the row has an access control or no value.
    ///
    /// If the result is `nil`, the caller has to decrypt the attributes first.
    package convenience init?(of row: ItemRow) {
        guard let record = row.secret, !AttributesRecord.hasAccessControl(row.attributes) else { return nil }
        let reference = PersistentReference(itemClass: row.columns.itemClass, item: row.columns.item)
        let data = ItemAssociatedData(row.columns)
        self.init(reference, row.columns.protection, row.columns.keyParity, record: record, data)
    }

    init(
        _ reference: PersistentReference,
        _ protection: ProtectionClass,
        _ keyParity: KeyParity,
        record: [UInt8],
        _ data: ItemAssociatedData
    ) {
        self.reference = reference
        self.protection = protection
        self.keyParity = keyParity
        self.record = record
        associatedData = data(.secret)
    }

    /// Decrypts the value.
    ///
    /// - Throws: Errors of ``KeySession/classKey(for:)``; `undecodable` with `recordDamaged` for a damaged row.
    package func open(with classKeys: KeySession) throws(StatusError) -> SecretBuffer {
        let key = try classKeys.classKey(for: protection, keyParity).secrets
        let value = unsafe record.withUnsafeBytes { record in
            unsafe associatedData.withUnsafeBytes { unsafe SecretRecord.open(record, under: key, nil, $0) }
        }
        guard let value else { throw StatusError(.undecodable, .recordDamaged) }
        return value
    }

    var byteCount: Int { record.count + associatedData.count }
}
