// SPDX-License-Identifier: Apache-2.0

import Crypto
package import FoundationEssentials
package import KeychainModel

/// Opens and seals items: attributes and value apart, each under a key drawn for this one message, which the key of
/// the item's protection class wraps.
///
/// A record is `suite 1 | class key's number 4 | wrapped key 60 | box`.
package struct ItemSealer: Sendable {
    private let keys: StoreKeys

    package init(keys: StoreKeys) { self.keys = keys }
}

/// An item whose attributes are open.
package struct OpenedItem: Sendable {
    package let row: ItemRow
    package let attributes: Attributes
    /// `nil` where the item has no value.
    package let secret: SecretDescription?

    package init(row: ItemRow, attributes: Attributes, secret: SecretDescription?) {
        self.row = row
        self.attributes = attributes
        self.secret = secret
    }
}

extension ItemSealer {
    /// Opens the attributes of a row.
    ///
    /// - Throws: what ``Keybag/classKey(for:)`` throws; `undecodable` with `recordDamaged` for a row that is not as it
    ///   was sealed.
    package func open(_ row: ItemRow, with keybag: inout Keybag) throws(KeychainError) -> OpenedItem {
        let classKey = try keybag.classKey(for: row.columns.protection)
        var context = ItemContext(row.columns, store: keys.store)
        let digest = row.columns.digest
        let version = row.columns.version
        let record = try Record(row.attributes, classKey: classKey.number)
        let key = try Sealing.unwrap(
            record.wrappedKey,
            under: classKey.attributes,
            context: context.attributes(version: version, columns: digest, classKey: classKey.number),
            orThrow: .recordDamaged
        )
        let plain = try Sealing.open(
            record.box,
            under: key,
            context: context.attributes(version: version, columns: digest),
            orThrow: .recordDamaged
        )
        guard let sealed = unsafe plain.withUnsafeBytes({ unsafe SealedAttributes(decoding: $0) }) else {
            throw KeychainError(.undecodable, .recordDamaged)
        }
        return OpenedItem(row: row, attributes: sealed.attributes, secret: sealed.secret)
    }

    /// Opens the value of an item; `nil` where it has none.
    ///
    /// The result is plain `Data`, as the API demands: it cannot be wiped once it is handed out.
    package func exposedSecret(
        of item: OpenedItem,
        with keybag: inout Keybag
    ) throws(KeychainError) -> Data? {
        guard let description = item.secret else { return nil }
        let columns = item.row.columns
        guard let column = item.row.secret else { throw KeychainError(.undecodable, .recordDamaged) }
        let classKey = try keybag.classKey(for: columns.protection)
        let record = try Record(column, classKey: classKey.number)
        guard Bytes32(sha256: record.box) == description.box else {
            throw KeychainError(.undecodable, .recordDamaged)
        }
        var context = ItemContext(columns, store: keys.store)
        let key = try Sealing.unwrap(
            record.wrappedKey,
            under: classKey.secrets,
            context: context.secret(version: description.version, classKey: classKey.number),
            orThrow: .recordDamaged
        )
        var plain = try Sealing.open(
            record.box,
            under: key,
            context: context.secret(version: description.version),
            orThrow: .recordDamaged
        )
        guard description.byteCount <= UInt64(plain.count) else {
            throw KeychainError(.undecodable, .recordDamaged)
        }
        plain.count = Int(description.byteCount)
        return plain
    }

    /// Seals a value; its description goes into the attributes.
    package func seal(
        secret: Data,
        columns: ItemColumns,
        with keybag: inout Keybag
    ) throws(KeychainError) -> (record: [UInt8], description: SecretDescription) {
        let classKey = try keybag.classKey(for: columns.protection)
        var context = ItemContext(columns, store: keys.store)
        var padded = [UInt8](secret)
        Padding.pad(&padded)
        defer { padded.wipe() }
        let record = try Record(
            sealing: padded,
            classKey: (classKey.number, classKey.secrets),
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
        with keybag: inout Keybag
    ) throws(KeychainError) -> [UInt8] {
        let classKey = try keybag.classKey(for: columns.protection)
        var context = ItemContext(columns, store: keys.store)
        let digest = columns.digest
        var plain = SealedAttributes(attributes: attributes, secret: secret).encoded
        Padding.pad(&plain)
        let record = try Record(
            sealing: plain,
            classKey: (classKey.number, classKey.attributes),
            wrapContext: context.attributes(
                version: columns.version,
                columns: digest,
                classKey: classKey.number
            ),
            boxContext: context.attributes(version: columns.version, columns: digest)
        )
        return record.bytes
    }

    /// SHA-1 over an item's sealed attributes, which bind its value: it changes whenever the item changes.
    package static func changeDigest(of item: OpenedItem) -> Data {
        Data(Insecure.SHA1.hash(data: item.row.attributes))
    }
}

/// The parts of a record.
private struct Record {
    let wrappedKey: ArraySlice<UInt8>
    let box: ArraySlice<UInt8>
    private let classKey: UInt32

    private static let prefixCount = 5
    private static let wrappedKeyCount = 32 + Sealing.overhead

    /// Takes a record apart; it must be of this suite and name this class key.
    init(_ bytes: [UInt8], classKey: UInt32) throws(KeychainError) {
        let end = Self.prefixCount + Self.wrappedKeyCount
        let number = unsafe bytes.withUnsafeBytes { buffer -> UInt32? in
            var reader = unsafe ByteReader(buffer)
            return reader.number() == Suite.one.rawValue ? reader.number() : nil
        }
        guard bytes.count >= end + Sealing.overhead, number == classKey else {
            throw KeychainError(.undecodable, .recordDamaged)
        }
        wrappedKey = bytes[Self.prefixCount..<end]
        box = bytes[end...]
        self.classKey = classKey
    }

    /// Seals bytes under a key drawn for them alone.
    init(
        sealing plain: [UInt8],
        classKey: (number: UInt32, key: SymmetricKey),
        wrapContext: [UInt8],
        boxContext: [UInt8]
    ) throws(KeychainError) {
        let key = try Sealing.randomKey()
        wrappedKey = try ArraySlice(Sealing.wrap(key, under: classKey.key, context: wrapContext))
        box = try ArraySlice(Sealing.seal(plain, under: key, context: boxContext))
        self.classKey = classKey.number
    }

    var bytes: [UInt8] {
        var writer = ByteWriter(capacity: Self.prefixCount + wrappedKey.count + box.count)
        writer.append(Suite.one.rawValue)
        writer.append(classKey)
        writer.append(wrappedKey)
        writer.append(box)
        return writer.bytes
    }
}
