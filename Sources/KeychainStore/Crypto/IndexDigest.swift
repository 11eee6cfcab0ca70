// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The digests that stand for names on disk: of access groups, of attributes, of an item's identity.
///
/// Values of different access groups never show as equal, because the group is in the input.
package struct IndexDigest: Sendable {
    let key: KeyedDigest

    /// The digest of an access group's name.
    package func accessGroup(_ name: String) -> Bytes16 {
        var message = ByteWriter(capacity: 1 + name.utf8.count)
        message.append("g")
        message.append(name)
        return key.digest(of: message.bytes).truncated
    }

    /// The digest of one attribute's value within an access group.
    package func attribute(
        _ rule: AttributeRule,
        _ value: AttributeValue,
        of itemClass: ItemClass,
        in group: Bytes16
    ) -> Bytes16 {
        var message = ByteWriter(capacity: 96)
        message.append("a")
        message.append(itemClass.rawValue)
        message.append(rule.attribute.rawValue)
        message.append(group)
        message.append(value, of: rule.kind)
        return key.digest(of: message.bytes).truncated
    }

    /// The digest of every unique attribute: two items with the same one are the same item.
    ///
    /// The access group is taken as its digest, and the synchronizable flag apart, so that a search over several
    /// groups need not know more than the digests.
    package func identity(
        of itemClass: ItemClass,
        _ attributes: Attributes,
        in group: Bytes16,
        synchronizable: Bool
    ) -> Bytes32 {
        var message = ByteWriter(capacity: 160)
        message.append("pk")
        message.append(itemClass.rawValue)
        message.append(group)
        message.append(UInt8(synchronizable ? 1 : 0))
        for rule in ItemSchema.of(itemClass).identifying {
            guard let value = attributes[rule.attribute] ?? rule.initial else { continue }
            message.append(rule.attribute.rawValue)
            message.append(UInt32(clamping: value.canonicalByteCount))
            message.append(value, of: rule.kind)
        }
        return key.digest(of: message.bytes)
    }
}

extension ByteWriter {
    /// Appends the bytes by which values of a kind compare: of a blob its bytes alone, else its type too.
    fileprivate mutating func append(_ value: AttributeValue, of kind: AttributeKind) {
        if kind != .blob { append(value.typeCode) }
        unsafe value.withCanonicalBytes { unsafe append($0) }
    }
}

extension AttributeValue {
    fileprivate var canonicalByteCount: Int { unsafe withCanonicalBytes { $0.count } }
}

/// The digests of an item's searchable attributes, as the item's row keeps them: 17 bytes each, in order.
package struct IndexEntries: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let attribute: Attribute
        package let digest: Bytes16

        package init(attribute: Attribute, digest: Bytes16) {
            self.attribute = attribute
            self.digest = digest
        }
    }

    package let entries: [Entry]

    /// The digests of what is searchable among an item's attributes.
    ///
    /// Defaults are left out: they choose nothing.
    package init(of itemClass: ItemClass, _ attributes: Attributes, in group: Bytes16, by index: IndexDigest)
    {
        let schema = ItemSchema.of(itemClass)
        entries = attributes.entries.compactMap { entry in
            guard let rule = schema[entry.attribute], rule.traits.contains(.searchable),
                rule.initial.map({ rule.kind.equal($0, entry.value) }) != true
            else { return nil }
            return Entry(
                attribute: entry.attribute,
                digest: index.attribute(rule, entry.value, of: itemClass, in: group)
            )
        }
    }

    /// Reads the column of a row; `nil` where it is damaged.
    package init?(_ column: [UInt8]) {
        guard column.count % 17 == 0 else { return nil }
        var entries: [Entry] = []
        let complete = unsafe column.withUnsafeBytes { buffer in
            var reader = unsafe ByteReader(buffer)
            while reader.remaining > 0 {
                guard let number: UInt8 = reader.number(), let attribute = Attribute(rawValue: number),
                    let digest = reader.bytes16()
                else { return false }
                entries.append(Entry(attribute: attribute, digest: digest))
            }
            return true
        }
        guard complete else { return nil }
        self.entries = entries
    }

    /// The column of a row.
    package var column: [UInt8] {
        var writer = ByteWriter(capacity: entries.count * 17)
        for entry in entries {
            writer.append(entry.attribute.rawValue)
            writer.append(entry.digest)
        }
        return writer.bytes
    }
}
