// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Encrypts and decrypts items, with separate keys for attributes and value derived from the class key.
///
/// An item whose access control requires the passcode or an application password has a key of its own. This
/// key is wrapped in two or three layers: with the application password's key, for the recipient public key
/// of the passcode, or both; and always with the class key.
package struct ItemSealer: Sendable {
    private let keys: StoreKeys
    private let credential: Credential

    package init(keys: StoreKeys, credential: Credential = .none) {
        self.keys = keys
        self.credential = credential
    }
}

/// An item with decrypted attributes.
package struct OpenedItem: Sendable {
    package let row: ItemRow
    package let attributes: Attributes
    /// The authentication tag of the encrypted value; `nil` if the item has no value.
    let secretTag: Bytes16?
    /// The wrapper of the item's own key; `nil` if the item has no constraints.
    package let keyWrapper: ItemKeyWrapper?
    let boxKeys: BoxKeys

    package var accessControl: AccessControl {
        keyWrapper?.access.control ?? AccessControl(protection: row.columns.protection)
    }
}

extension ItemSealer {
    /// Decrypts the attributes of a row, which detects a damaged row.
    ///
    /// - Throws: `undecodable` with `recordDamaged` for a damaged row; errors of ``KeySession/classKey(for:)``; errors
    ///   of ``ItemKeyWrapper/init(_:satisfiedBy:with:)`` if the credential does not satisfy the item's constraints.
    package func open(_ row: ItemRow, with classKeys: KeySession) throws(StatusError) -> OpenedItem {
        var boxKeys = try classKeys.classKey(for: row.columns)
        let access = try access(of: row, boxKeys)
        let record = try AttributesRecord(row.attributes, access)
        let data = ItemAssociatedData(row.columns, access: access)
        var keyWrapper: ItemKeyWrapper?
        if let access {
            let satisfied = try ItemKeyWrapper(access, satisfiedBy: credential, with: keys)
            if !record.wrappedKey.isEmpty {
                boxKeys = BoxKeys(
                    from: try satisfied.unwrap(record.wrappedKey, under: boxKeys.attributes, data)
                )
            }
            keyWrapper = satisfied
        }
        let plain = try Sealing.open(
            record.box,
            under: boxKeys.attributes,
            associatedData: data(.attributes),
            orThrow: .recordDamaged
        )
        guard let sealed = unsafe plain.withUnsafeBytes({ unsafe SealedAttributes(decoding: $0) }) else {
            throw StatusError(.undecodable, .recordDamaged)
        }
        return OpenedItem(
            row: row,
            attributes: sealed.attributes,
            secretTag: sealed.secretTag,
            keyWrapper: keyWrapper,
            boxKeys: boxKeys
        )
    }

    /// Decrypts an item's access control, using the class key only; `nil` if the item has no constraints.
    package func accessControl(
        of row: ItemRow,
        with classKeys: KeySession
    ) throws(StatusError) -> AccessControl? {
        guard AttributesRecord.hasAccessControl(row.attributes) else { return nil }
        return try access(of: row, classKeys.classKey(for: row.columns))?.control
    }

    func access(of row: ItemRow, _ classKey: BoxKeys) throws(StatusError) -> ItemAccess? {
        guard let box = try AttributesRecord.sealedAccess(of: row.attributes) else { return nil }
        let plain = try Sealing.open(
            box,
            under: classKey.attributes,
            associatedData: ItemAssociatedData(row.columns)(.accessControl),
            orThrow: .recordDamaged
        )
        guard let access = unsafe plain.withUnsafeBytes({ unsafe ItemAccess(decoding: $0) }),
            access.control.protection == row.columns.protection, access.control.isConstrained
        else { throw StatusError(.undecodable, .recordDamaged) }
        return access
    }

    /// Decrypts the value of an item; `nil` if the item has none.
    ///
    /// The returned buffer is erased when its last owner releases it.
    ///
    /// - Throws: `undecodable` with `recordDamaged`, also if the row was read without its value.
    package func decryptedValue(of item: OpenedItem) throws(StatusError) -> SecretBuffer? {
        guard let tag = item.secretTag else { return nil }
        guard let record = item.row.secret, SecretRecord.tag(of: record) == tag else {
            throw StatusError(.undecodable, .recordDamaged)
        }
        return try open(record, item.row.columns, item.keyWrapper?.access, under: item.boxKeys.secrets)
    }

    private func open(
        _ record: [UInt8],
        _ columns: ItemColumns,
        _ access: ItemAccess?,
        under key: SecretKey
    ) throws(StatusError) -> SecretBuffer {
        let data = ItemAssociatedData(columns, access: access)
        let value = unsafe record.withUnsafeBytes { record in
            unsafe data.withBytes(.secret) { unsafe SecretRecord.open(record, under: key, access, $0) }
        }
        guard let value else { throw StatusError(.undecodable, .recordDamaged) }
        return value
    }
}

extension ItemSealer {
    package func keyWrapper(
        for control: AccessControl,
        recipient: RecipientPublicKey?
    ) throws(StatusError) -> ItemKeyWrapper? {
        try ItemKeyWrapper(new: control, for: recipient, credential, with: keys)
    }

    /// Encrypts an item under the current class key.
    ///
    /// The columns must not change afterwards, because they are part of the ciphertexts' associated data.
    ///
    /// - Throws: Errors of ``KeySession/classKey(for:_:)``; `dataTooLarge` for a value or attributes of about 1 GB.
    package func seal(
        _ attributes: Attributes,
        secret: SecretBuffer?,
        columns: ItemColumns,
        under keyWrapper: ItemKeyWrapper?,
        with classKeys: KeySession
    ) throws(StatusError) -> OpenedItem {
        var columns = columns
        columns.keyParity = classKeys.keybag.parity
        let classKey = try classKeys.classKey(for: columns)
        let data = ItemAssociatedData(columns, access: keyWrapper?.access)
        let (prefix, boxKeys) = try begin(columns, data, under: keyWrapper, classKey)
        var record: [UInt8]?
        if let secret {
            record = try SecretRecord.seal(secret, under: boxKeys.secrets, keyWrapper?.access, data)
        }
        let tag = record.flatMap(SecretRecord.tag)
        var plain = SealedAttributes(attributes: attributes, secretTag: tag).encoded
        guard plain.count <= Padding.largestCount else { throw StatusError(.dataTooLarge) }
        Padding.pad(&plain)
        let sealed = unsafe plain.withUnsafeBytes { plain in
            unsafe data.withBytes(.attributes) {
                unsafe Sealing.seal(plain, under: boxKeys.attributes, associatedData: $0, after: prefix)
            }
        }
        return OpenedItem(
            row: ItemRow(columns: columns, attributes: sealed, secret: record),
            attributes: attributes,
            secretTag: tag,
            keyWrapper: keyWrapper,
            boxKeys: boxKeys
        )
    }

    /// Returns what the attribute record contains before the encrypted attributes, and the keys that encrypt the item.
    private func begin(
        _ columns: ItemColumns,
        _ data: ItemAssociatedData,
        under keyWrapper: ItemKeyWrapper?,
        _ classKey: BoxKeys
    ) throws(StatusError) -> (prefix: [UInt8], boxKeys: BoxKeys) {
        var prefix = [AttributesRecord.suite(keyWrapper?.access)]
        guard let keyWrapper else { return (prefix, classKey) }
        prefix += Sealing.seal(
            keyWrapper.access.bytes,
            under: classKey.attributes,
            associatedData: ItemAssociatedData(columns)(.accessControl)
        )
        guard !keyWrapper.access.wrapping.isEmpty else { return (prefix, classKey) }
        let itemKey = SecretKey.random()
        prefix += try keyWrapper.wrap(itemKey, under: classKey.attributes, data)
        return (prefix, BoxKeys(from: itemKey))
    }

    /// Returns a 20-byte digest of an item's encrypted attributes, which changes with each modification.
    ///
    /// A new value changes this digest too, because the attributes contain the tag of the encrypted value.
    package static func changeDigest(of item: OpenedItem) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 20)
        unsafe BLAKE2b.digest(item.row.attributes, into: &digest, count: 20)
        return digest
    }
}
