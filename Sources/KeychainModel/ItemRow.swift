// SPDX-License-Identifier: Apache-2.0

/// The columns of an item that stand on disk unsealed: numbers, digests and nothing that has a name in it.
package struct ItemColumns: Hashable, Sendable {
    /// The identifier that persistent references carry.
    package var item: Bytes16
    package var itemClass: ItemClass
    /// Grows with each change of the item.
    package var version: UInt64
    /// The digest of the access group's name.
    package var accessGroup: Bytes16
    package var protection: ProtectionClass
    package var synchronizable: Bool
    /// The item was deleted and only its identity is remembered.
    package var tombstone: Bool
    /// The digest of the unique attributes.
    package var identity: Bytes32
    /// The digests of the searchable attributes.
    package var digests: [UInt8]

    package init(
        item: Bytes16,
        itemClass: ItemClass,
        version: UInt64,
        accessGroup: Bytes16,
        protection: ProtectionClass,
        synchronizable: Bool,
        tombstone: Bool,
        identity: Bytes32,
        digests: [UInt8]
    ) {
        self.item = item
        self.itemClass = itemClass
        self.version = version
        self.accessGroup = accessGroup
        self.protection = protection
        self.synchronizable = synchronizable
        self.tombstone = tombstone
        self.identity = identity
        self.digests = digests
    }
}

/// An item as the store keeps it.
package struct ItemRow: Hashable, Sendable {
    package var columns: ItemColumns
    /// The sealed attributes.
    package var attributes: [UInt8]
    /// The sealed value; `nil` where the item has none, or where it was not read.
    package var secret: [UInt8]?

    package init(columns: ItemColumns, attributes: [UInt8], secret: [UInt8]?) {
        self.columns = columns
        self.attributes = attributes
        self.secret = secret
    }
}
