// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import KeychainModel

/// Opens and seals items: attributes and value apart, under keys derived from that of the item's protection class.
///
/// An item whose access control demands the passcode or an application password has a key of its own, which is wrapped
/// by what these give and then under the class key.
package struct ItemSealer: Sendable {
    private let keys: StoreKeys
    /// What was proved or supplied for the call.
    private let credential: Credential

    package init(keys: StoreKeys, credential: Credential = .none) {
        self.keys = keys
        self.credential = credential
    }
}

/// An item whose attributes are open.
package struct OpenedItem: Sendable {
    package let row: ItemRow
    package let attributes: Attributes
    /// What the box of the value ends with; `nil` where the item has no value.
    let secretTag: Bytes16?
    /// What opened the item; `nil` where it has no constraints.
    package let opener: AccessOpener?
    /// What the value's box is sealed under.
    let boxKeys: BoxKeys

    /// The access control of the item, a bare class where it has no constraints.
    package var accessControl: AccessControl {
        opener?.access.control ?? AccessControl(protection: row.columns.protection)
    }
}

// Opening.
extension ItemSealer {
    /// Opens the attributes of a row.
    ///
    /// - Throws: what ``KeySession/classKey(for:)`` throws; `authenticationNeeded` where the credential does not satisfy the
    ///   item's constraints; `undecodable` with `recordDamaged` for a row that is not as it was sealed.
    package func open(_ row: ItemRow, with classKeys: KeySession) throws(StatusError) -> OpenedItem {
        var boxKeys = try classKeys.classKey(for: row.columns.protection)
        let access = try access(of: row, boxKeys)
        let record = try AttributesRecord(row.attributes, access)
        let data = ItemAssociatedData(row.columns, access: access)
        var opener: AccessOpener?
        if let access {
            let satisfied = try AccessOpener(access, satisfiedBy: credential, with: keys)
            if !record.wrappedKey.isEmpty {
                boxKeys = BoxKeys(
                    from: try satisfied.unwrap(record.wrappedKey, under: boxKeys.attributes, data)
                )
            }
            opener = satisfied
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
            opener: opener,
            boxKeys: boxKeys
        )
    }

    /// The constraints of an item, which its class key alone opens; `nil` where there are none.
    package func accessControl(
        of row: ItemRow,
        with classKeys: KeySession
    ) throws(StatusError) -> AccessControl? {
        guard AttributesRecord.isConstrained(row.attributes) else { return nil }
        return try access(of: row, classKeys.classKey(for: row.columns.protection))?.control
    }

    private func access(of row: ItemRow, _ classKey: BoxKeys) throws(StatusError) -> ItemAccess? {
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

    /// Opens the value of an item; `nil` where it has none.
    ///
    /// The bytes, from 15 on, are wiped when the last who holds them lets go.
    package func exposedSecret(of item: OpenedItem) throws(StatusError) -> Data? {
        guard let tag = item.secretTag else { return nil }
        guard let record = item.row.secret, SecretRecord.tag(of: record) == tag else {
            throw StatusError(.undecodable, .recordDamaged)
        }
        return try open(record, item.row.columns, item.opener?.access, under: item.boxKeys.secrets)
    }

    /// Opens the value of an item whose attributes are not needed, and stay sealed; `nil` where that does not tell all.
    ///
    /// The associated data have the item's identity, so a caller who looked it up by every unique attribute gets the
    /// value of that item or an error. Items under access control and those without a value have to be opened whole.
    package func exposedSecretAlone(
        of row: ItemRow,
        with classKeys: KeySession
    ) throws(StatusError) -> Data? {
        guard let record = row.secret, !AttributesRecord.isConstrained(row.attributes) else { return nil }
        let classKey = try classKeys.classKey(for: row.columns.protection)
        return try open(record, row.columns, nil, under: classKey.secrets)
    }

    private func open(
        _ record: [UInt8],
        _ columns: ItemColumns,
        _ access: ItemAccess?,
        under key: SecretKey
    ) throws(StatusError) -> Data {
        let box = try SecretRecord.box(of: record, access)
        guard box.count >= Sealing.overhead + SecretRecord.countSize else {
            throw StatusError(.undecodable, .recordDamaged)
        }
        let plain = WipedBuffer(count: box.count - Sealing.overhead)
        let data = ItemAssociatedData(columns, access: access)(.secret)
        let count = unsafe plain.withBytes { plain -> Int? in
            let target = unsafe plain.assumingMemoryBound(to: UInt8.self).baseAddress
            let isOpen = unsafe box.withUnsafeBytes { box in
                unsafe Sealing.open(box, under: key, associatedData: data, into: target)
            }
            return unsafe isOpen ? SecretRecord.byteCount(in: UnsafeRawBufferPointer(plain)) : nil
        }
        guard let count else { throw StatusError(.undecodable, .recordDamaged) }
        return Data(plain, prefix: count)
    }
}

extension Data {
    /// Takes over the first bytes of a buffer, all of which is wiped when the last who holds them lets go.
    fileprivate init(_ buffer: consuming WipedBuffer, prefix count: Int) {
        let capacity = buffer.count
        let start = unsafe buffer.take()
        unsafe self.init(
            bytesNoCopy: start,
            count: count,
            deallocator: .custom { start, _ in unsafe WipedBuffer.release(start, capacity) }
        )
    }
}

// Sealing.
extension ItemSealer {
    /// Makes what seals an item under constraints; `nil` where there are none.
    ///
    /// - Throws: `authenticationNeeded` where something for it is missing.
    package func opener(
        for control: AccessControl,
        recipient: AccessRecipient?
    ) throws(StatusError) -> AccessOpener? {
        try AccessOpener(new: control, for: recipient, credential, with: keys)
    }

    /// Seals an item whose columns are final.
    package func seal(
        _ attributes: Attributes,
        secret: Data?,
        columns: ItemColumns,
        under opener: AccessOpener?,
        with classKeys: KeySession
    ) throws(StatusError) -> OpenedItem {
        let classKey = try classKeys.classKey(for: columns.protection)
        let data = ItemAssociatedData(columns, access: opener?.access)
        let (prefix, boxKeys) = try begin(columns, data, under: opener, classKey)
        var record: [UInt8]?
        if let secret {
            record = try SecretRecord.seal(secret, under: boxKeys.secrets, opener?.access, data(.secret))
        }
        let tag = record.flatMap(SecretRecord.tag)
        var plain = SealedAttributes(attributes: attributes, secretTag: tag).encoded
        guard plain.count <= Padding.largestCount else { throw StatusError(.dataTooLarge) }
        Padding.pad(&plain)
        let sealed = Sealing.seal(
            plain,
            under: boxKeys.attributes,
            associatedData: data(.attributes),
            after: prefix
        )
        return OpenedItem(
            row: ItemRow(columns: columns, attributes: sealed, secret: record),
            attributes: attributes,
            secretTag: tag,
            opener: opener,
            boxKeys: boxKeys
        )
    }

    /// What comes before the box of the attributes, and what the boxes are sealed under.
    private func begin(
        _ columns: ItemColumns,
        _ data: ItemAssociatedData,
        under opener: AccessOpener?,
        _ classKey: BoxKeys
    ) throws(StatusError) -> (prefix: [UInt8], boxKeys: BoxKeys) {
        var prefix = [AttributesRecord.suite(opener?.access)]
        guard let opener else { return (prefix, classKey) }
        prefix += Sealing.seal(
            opener.access.bytes,
            under: classKey.attributes,
            associatedData: ItemAssociatedData(columns)(.accessControl)
        )
        guard !opener.access.wrapping.isEmpty else { return (prefix, classKey) }
        let itemKey = SecretKey.random()
        prefix += try opener.wrap(itemKey, under: classKey.attributes, data)
        return (prefix, BoxKeys(from: itemKey))
    }

    /// 20 bytes over an item's sealed attributes, which bind its value: they change whenever the item changes.
    package static func changeDigest(of item: OpenedItem) -> Data {
        var digest = [UInt8](repeating: 0, count: 20)
        unsafe BLAKE2b.digest(item.row.attributes, into: &digest, count: 20)
        return Data(digest)
    }
}
