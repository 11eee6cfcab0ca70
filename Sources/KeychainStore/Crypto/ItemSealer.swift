// SPDX-License-Identifier: Apache-2.0

import Crypto
package import FoundationEssentials
package import KeychainModel

/// Opens and seals items: attributes and value apart, each under a key drawn for this one message, which the key of
/// the item's protection class wraps.
///
/// An item under access control has its keys wrapped once more, inside: that wrap only an authentication opens.
package struct ItemSealer: Sendable {
    private let keys: StoreKeys
    /// What was proved or supplied for the call in hand.
    package var credential = Credential.none

    package init(keys: StoreKeys) { self.keys = keys }
}

/// An item whose attributes are open.
package struct OpenedItem: Sendable {
    package let row: ItemRow
    package let attributes: Attributes
    /// `nil` where the item has no value.
    package let secret: SecretDescription?
    /// What opened the item; `nil` where it has no constraints.
    package let opener: AccessOpener?

    package init(row: ItemRow, attributes: Attributes, secret: SecretDescription?, opener: AccessOpener?) {
        self.row = row
        self.attributes = attributes
        self.secret = secret
        self.opener = opener
    }

    /// The access control of the item, a bare class where it has no constraints.
    package var accessControl: AccessControl {
        opener?.access.control ?? AccessControl(protection: row.columns.protection)
    }
}

extension ItemSealer {
    /// Opens the attributes of a row.
    ///
    /// - Throws: what ``Keybag/classKey(for:)`` throws; `authenticationNeeded` where the credential does not satisfy the
    ///   item's constraints; `undecodable` with `recordDamaged` for a row that is not as it was sealed.
    package func open(_ row: ItemRow, with keybag: inout Keybag) throws(StatusError) -> OpenedItem {
        let classKey = try keybag.classKey(for: row.columns.protection)
        let digest = row.columns.digest
        let version = row.columns.version
        let access = try access(of: row, digest, classKey)
        let opener: AccessOpener? =
            if let access {
                try AccessOpener(access, satisfiedBy: credential, with: keys) { keybag.fingerKey() }
            } else { nil }
        var context = ItemContext(row.columns, store: keys.store, access: access)
        let record = try Record(row.attributes, classKey: classKey.number, access, hasAccess: true)
        let plain = try record.open(
            under: classKey.attributes,
            opener,
            wrapContext: context.attributes(version: version, columns: digest, classKey: classKey.number),
            boxContext: context.attributes(version: version, columns: digest)
        )
        guard let sealed = unsafe plain.withUnsafeBytes({ unsafe SealedAttributes(decoding: $0) }) else {
            throw StatusError(.undecodable, .recordDamaged)
        }
        return OpenedItem(row: row, attributes: sealed.attributes, secret: sealed.secret, opener: opener)
    }

    /// The constraints of an item, which its class key alone opens; `nil` where there are none.
    package func accessControl(
        of row: ItemRow,
        with keybag: inout Keybag
    ) throws(StatusError) -> AccessControl? {
        guard Record.isConstrained(row.attributes) else { return nil }
        let classKey = try keybag.classKey(for: row.columns.protection)
        return try access(of: row, row.columns.digest, classKey)?.control
    }

    private func access(
        of row: ItemRow,
        _ columns: Bytes32,
        _ classKey: ClassKey
    ) throws(StatusError) -> ItemAccess? {
        guard let box = try Record.sealedAccess(of: row.attributes, classKey: classKey.number) else {
            return nil
        }
        var context = ItemContext(row.columns, store: keys.store)
        let plain = try Sealing.open(
            box,
            under: classKey.attributes,
            context: context.accessControl(
                version: row.columns.version,
                columns: columns,
                classKey: classKey.number
            ),
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
    package func exposedSecret(
        of item: OpenedItem,
        with keybag: inout Keybag
    ) throws(StatusError) -> Data? {
        guard let description = item.secret else { return nil }
        let columns = item.row.columns
        guard let column = item.row.secret else { throw StatusError(.undecodable, .recordDamaged) }
        let classKey = try keybag.classKey(for: columns.protection)
        let access = item.opener?.access
        let record = try Record(column, classKey: classKey.number, access, hasAccess: false)
        guard Bytes32(sha256: record.box) == description.box else {
            throw StatusError(.undecodable, .recordDamaged)
        }
        var context = ItemContext(columns, store: keys.store, access: access)
        var plain = try record.open(
            under: classKey.secrets,
            item.opener,
            wrapContext: context.secret(version: description.version, classKey: classKey.number),
            boxContext: context.secret(version: description.version)
        )
        guard description.byteCount <= UInt64(plain.count) else {
            throw StatusError(.undecodable, .recordDamaged)
        }
        return Data(moving: &plain, count: Int(description.byteCount))
    }

    /// Makes what seals an item under constraints; `nil` where there are none.
    ///
    /// - Throws: `authenticationNeeded` where something for it is missing.
    package func opener(
        for control: AccessControl,
        recipient: AccessRecipient?
    ) throws(StatusError) -> AccessOpener? {
        try AccessOpener(new: control, for: recipient, credential, with: keys)
    }

    /// Seals a value; its description goes into the attributes.
    package func seal(
        secret: Data,
        columns: ItemColumns,
        under opener: AccessOpener?,
        with keybag: inout Keybag
    ) throws(StatusError) -> (record: [UInt8], description: SecretDescription) {
        guard secret.count <= Padding.largestCount else { throw StatusError(.dataTooLarge) }
        let classKey = try keybag.classKey(for: columns.protection)
        var context = ItemContext(columns, store: keys.store, access: opener?.access)
        // Room for all at once: what a growing array leaves behind is not wiped.
        var padded: [UInt8] = []
        padded.reserveCapacity(Padding.paddedCount(secret.count))
        defer { padded.wipe() }
        padded += secret
        Padding.pad(&padded)
        let record = try Record(
            sealing: padded,
            classKey: (classKey.number, classKey.secrets),
            opener,
            wrapContext: context.secret(version: columns.version, classKey: classKey.number),
            boxContext: context.secret(version: columns.version)
        )
        let description = SecretDescription(
            version: columns.version,
            byteCount: UInt64(secret.count),
            box: Bytes32(sha256: record.box)
        )
        return (record.bytes, description)
    }

    /// Seals the attributes of an item whose columns are final.
    package func seal(
        attributes: Attributes,
        secret: SecretDescription?,
        columns: ItemColumns,
        under opener: AccessOpener?,
        with keybag: inout Keybag
    ) throws(StatusError) -> [UInt8] {
        let classKey = try keybag.classKey(for: columns.protection)
        var context = ItemContext(columns, store: keys.store, access: opener?.access)
        let (digest, version) = (columns.digest, columns.version)
        var plain = SealedAttributes(attributes: attributes, secret: secret).encoded
        guard plain.count <= Padding.largestCount else { throw StatusError(.dataTooLarge) }
        Padding.pad(&plain)
        var record = try Record(
            sealing: plain,
            classKey: (classKey.number, classKey.attributes),
            opener,
            wrapContext: context.attributes(version: version, columns: digest, classKey: classKey.number),
            boxContext: context.attributes(version: version, columns: digest)
        )
        if let access = opener?.access {
            record.access = try ArraySlice(
                Sealing.seal(
                    access.bytes,
                    under: classKey.attributes,
                    context: context.accessControl(
                        version: version,
                        columns: digest,
                        classKey: classKey.number
                    )
                )
            )
        }
        return record.bytes
    }

    /// SHA-1 over an item's sealed attributes, which bind its value: it changes whenever the item changes.
    package static func changeDigest(of item: OpenedItem) -> Data {
        Data(Insecure.SHA1.hash(data: item.row.attributes))
    }
}
