// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Computes keyed digests of access groups, attributes and primary keys.
///
/// Rows store these digests unencrypted. The input for an attribute or primary key contains the digest of the
/// access group, so equal values in different groups have different digests.
package struct IndexDigest: Sendable {
    let key: KeyedDigest

    package func accessGroup(_ name: String) -> Bytes8 {
        var message = ByteWriter(capacity: 1 + name.utf8.count)
        message.append("g")
        message.append(name)
        return key.digest(of: message.bytes).truncatedTo8
    }

    package func attribute(
        _ rule: AttributeRule,
        _ value: AttributeValue,
        of itemClass: ItemClass,
        in group: Bytes8
    ) -> Bytes8 {
        var message = ByteWriter(capacity: 96)
        message.append("a")
        message.append(itemClass.rawValue)
        message.append(rule.attribute.rawValue)
        message.append(group)
        message.append(value, of: rule.kind)
        return key.digest(of: message.bytes).truncatedTo8
    }

    /// Returns the digest of an item's primary key.
    ///
    /// The input contains the access group's digest, not its name, so a search in several groups needs only
    /// their digests.
    package func identity(
        of itemClass: ItemClass,
        _ attributes: Attributes,
        in group: Bytes8,
        synchronizable: Bool
    ) -> ItemIdentity {
        let rules = ItemSchema.of(itemClass).identityRules
        let entries = attributes.entries.span
        // An upper bound of the message's size: two bytes for the prefix, one for the class, one for
        // `synchronizable`, and eight for the group; for each attribute, six bytes and its value. A missing
        // attribute has its default value of at most eight bytes.
        var count = 4 + Bytes8.count + rules.count * (6 + 8)
        for index in entries.indices { count += entries[index].value.byteCount }
        let digest = unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { memory in
            var message = unsafe MemoryWriter(memory)
            message.append(UInt8(ascii: "p"))
            message.append(UInt8(ascii: "k"))
            message.append(itemClass.rawValue)
            message.append(group.number)
            message.append(UInt8(synchronizable ? 1 : 0))
            for rule in rules.indices {
                let (attribute, isBlob) = (rules[rule].attribute, rules[rule].isBlob)
                if let index = attributes.index(of: attribute) {
                    message.append(entries[index].value, of: attribute, isBlob: isBlob)
                } else if let initial = rules[rule].initial {
                    message.append(initial, of: attribute, isBlob: isBlob)
                }
            }
            return unsafe key.digest(of: UnsafeRawBufferPointer(rebasing: memory[..<message.count]))
        }
        return ItemIdentity(itemClass, in: group, digest: digest)
    }
}

extension MemoryWriter {
    /// Appends an attribute's number and its value: size, type code (omitted for blobs) and bytes.
    @inline(__always)
    fileprivate mutating func append(_ value: AttributeValue, of attribute: Attribute, isBlob: Bool) {
        append(attribute.rawValue)
        unsafe value.withCanonicalBytes { bytes in
            append(UInt32(clamping: bytes.count))
            if !isBlob { append(value.typeCode) }
            unsafe append(bytes)
        }
    }
}

extension ByteWriter {
    /// Appends the type code (omitted for blobs) and the canonical bytes of a value.
    fileprivate mutating func append(_ value: AttributeValue, of kind: AttributeKind) {
        if kind != .blob { append(value.typeCode) }
        unsafe value.withCanonicalBytes { unsafe append($0) }
    }
}

/// The digests of an item's searchable attributes in its row: 9 bytes each, sorted by attribute.
package struct IndexEntries: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let attribute: Attribute
        package let digest: Bytes8

        static let byteCount = 1 + Bytes8.count

        package init(attribute: Attribute, digest: Bytes8) {
            self.attribute = attribute
            self.digest = digest
        }

        /// The key in the index table: the attribute's raw value (1 byte), followed by the digest.
        var key: [UInt8] { [attribute.rawValue] + digest.bytes }

        /// Whether the index table contains an entry for this digest.
        var isIndexed: Bool { attribute.hasManyValues }
    }

    package let entries: [Entry]

    /// Computes the digests of an item's searchable attributes.
    ///
    /// An attribute that has its default value gets no digest.
    package init(of itemClass: ItemClass, _ attributes: Attributes, in group: Bytes8, by index: IndexDigest) {
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

    /// Decodes the `digests` column of a row; `nil` if it is malformed.
    package init?(_ column: [UInt8]) {
        guard column.count % Entry.byteCount == 0 else { return nil }
        var entries: [Entry] = []
        let complete = unsafe column.withUnsafeBytes { buffer in
            var reader = unsafe ByteReader(buffer)
            while reader.remaining > 0 {
                guard let number: UInt8 = reader.number(), let attribute = Attribute(rawValue: number),
                    let digest: UInt64 = reader.number()
                else { return false }
                entries.append(Entry(attribute: attribute, digest: Bytes8(digest)))
            }
            return true
        }
        guard complete else { return nil }
        self.entries = entries
    }

    package var column: [UInt8] {
        var writer = ByteWriter(capacity: entries.count * Entry.byteCount)
        for entry in entries {
            writer.append(entry.attribute.rawValue)
            writer.append(entry.digest)
        }
        return writer.bytes
    }

    /// Returns the index keys of a row's `digests` column; empty if the column is malformed.
    static func keys(in column: [UInt8]) -> [[UInt8]] {
        Self(column)?.entries.filter(\.isIndexed).map(\.key) ?? []
    }
}
