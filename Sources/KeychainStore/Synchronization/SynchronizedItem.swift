// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Unencrypted columns of a synchronizable row.
package struct SynchronizedRow: Hashable, Sendable {
    package let item: Bytes16
    package let identity: ItemIdentity
    /// The version of the row, incremented in the transaction of each change.
    package let version: UInt64
    package let protection: ProtectionClass
    package let isTombstone: Bool

    package init(
        item: Bytes16,
        identity: ItemIdentity,
        version: UInt64,
        protection: ProtectionClass,
        isTombstone: Bool
    ) {
        self.item = item
        self.identity = identity
        self.version = version
        self.protection = protection
        self.isTombstone = isTombstone
    }
}

/// An item as devices exchange it: without its persistent reference, row version and access control.
package struct SynchronizedItem: Hashable, Sendable {
    package let itemClass: ItemClass
    package let protection: ProtectionClass
    package let attributes: Attributes
    /// The value; `nil` if the item has none.
    package let value: SecretBuffer?

    /// Creates an item; `nil` if the item must not leave a device, has no access group, or has attributes that its
    /// class lacks.
    package init?(
        itemClass: ItemClass,
        protection: ProtectionClass,
        attributes: Attributes,
        value: SecretBuffer?
    ) {
        guard itemClass.isStored, protection.rule.leavesDevice, case .string? = attributes[.accessGroup],
            attributes.sealable(ItemSchema.of(itemClass)) == attributes
        else { return nil }
        self.itemClass = itemClass
        self.protection = protection
        self.attributes = attributes
        self.value = value
    }

    /// The attributes that identify the item, in a canonical order, without the synchronizable flag.
    package var identityBytes: [UInt8] {
        var writer = ByteWriter(capacity: 128)
        writer.append(itemClass.rawValue)
        let schema = ItemSchema.of(itemClass)
        for rule in schema.unique where rule.attribute != .synchronizable {
            guard let value = attributes[rule.attribute] ?? rule.initial else { continue }
            let bytes = value.canonicalBytes
            writer.append(rule.attribute.rawValue)
            // Leave out the type code of a blob, as for the identity of a row: a string then has the same identity
            // as data with the same bytes.
            if rule.kind != .blob { writer.append(value.typeCode) }
            writer.append(UInt32(clamping: bytes.count))
            writer.append(bytes)
        }
        return writer.bytes
    }

    /// The modification date in milliseconds since 1970, by which changes are ordered.
    ///
    /// A date before 2001 becomes the start of 2001, and a date after 2099 the start of 2100.
    package var modificationTime: UInt64 {
        guard case .date(let seconds)? = attributes[.modificationDate], seconds > 0 else {
            return 978_307_200_000
        }
        return 978_307_200_000 + UInt64(min(seconds, 3_124_137_600) * 1_000)
    }

    /// Whether two items are equal except for their dates.
    package func hasContent(of other: Self) -> Bool {
        var (left, right) = (attributes, other.attributes)
        for date in [Attribute.creationDate, .modificationDate] {
            left[date] = nil
            right[date] = nil
        }
        return itemClass == other.itemClass && protection == other.protection && left == right
            && value == other.value
    }

    /// The encoded item: `class 1 | protection 1 | flags 1 | length 4 | attributes | value`.
    package var encoded: [UInt8] {
        let sealed = SealedAttributes(attributes: attributes, secretTag: nil).encoded
        var writer = ByteWriter(capacity: 7 + sealed.count + (value?.count ?? 0))
        writer.append(itemClass.rawValue)
        writer.append(protection.rawValue)
        writer.append(UInt8(value == nil ? 0 : 1))
        writer.append(UInt32(clamping: sealed.count))
        writer.append(sealed)
        if let value { unsafe value.withUnsafeBytes { unsafe writer.append($0) } }
        return writer.bytes
    }

    /// Decodes an item; `nil` if the bytes are malformed or the item must not leave a device.
    package init?(decoding bytes: [UInt8]) {
        let fields = unsafe bytes.withUnsafeBytes { buffer -> Fields? in
            var reader = unsafe ByteReader(buffer)
            guard let classCode: UInt8 = reader.number(), let itemClass = ItemClass(rawValue: classCode),
                let protectionCode: UInt8 = reader.number(),
                let protection = ProtectionClass(rawValue: protectionCode),
                let hasValue: UInt8 = reader.number(), hasValue < 2,
                let length: UInt32 = reader.number(), let encoded = unsafe reader.take(Int(length)),
                let sealed = unsafe SealedAttributes(decoding: encoded),
                hasValue == 1 || reader.remaining == 0,
                let rest = unsafe reader.take(reader.remaining)
            else { return nil }
            let value = unsafe hasValue == 1 ? SecretBuffer(copying: rest) : nil
            return Fields(
                itemClass: itemClass,
                protection: protection,
                attributes: sealed.attributes,
                value: value
            )
        }
        guard let fields else { return nil }
        self.init(
            itemClass: fields.itemClass,
            protection: fields.protection,
            attributes: fields.attributes,
            value: fields.value
        )
    }

    private struct Fields {
        let itemClass: ItemClass
        let protection: ProtectionClass
        let attributes: Attributes
        let value: SecretBuffer?
    }
}
