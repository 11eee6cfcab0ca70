// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The identity of an item: its access group, class and primary key, in 32 bytes.
///
/// The encoding is `digest of the access group 8 | class 1 | digest of the primary key 23`. Because group and
/// class come first, the unique index of identities also finds the items of a group.
package struct ItemIdentity: Hashable, Sendable {
    package let bytes: Bytes32
    package let itemClass: ItemClass

    package static let prefixCount = 9

    /// Decodes an identity; `nil` if its class is unknown.
    package init?(_ bytes: Bytes32) {
        guard let itemClass = unsafe bytes.withBytes({ unsafe ItemClass(rawValue: $0[8]) }) else {
            return nil
        }
        self.bytes = bytes
        self.itemClass = itemClass
    }

    /// Combines a class, an access group and a primary key's digest, which is truncated to 23 bytes.
    package init(_ itemClass: ItemClass, in group: Bytes8, digest: Bytes32) {
        self.itemClass = itemClass
        bytes = Bytes32(group, itemClass.rawValue, digest)
    }

    /// The digest of the access group's name.
    package var accessGroup: Bytes8 { bytes.truncatedTo8 }

    package var bucket: Bucket {
        Bucket(unsafe bytes.withBytes { unsafe $0[Self.prefixCount] })
    }
}

/// The columns of an item that are stored unencrypted: numbers and digests.
package struct ItemColumns: Hashable, Sendable {
    /// The item identifier: the row number and the row's random ``tag``; persistent references contain these bytes.
    package var item: Bytes16
    package var identity: ItemIdentity
    /// The version of the item, incremented with each change.
    package var version: UInt64
    package var protection: ProtectionClass
    package var synchronizable: Bool
    /// Whether the item was deleted, and the row keeps only its primary key and the date of the deletion.
    package var tombstone: Bool
    /// The digests of the searchable attributes.
    package var digests: [UInt8]
    /// The parity of the class key that encrypts the row; each rotation of the class keys switches the parity.
    package var keyParity: KeyParity

    package init(
        item: Bytes16,
        identity: ItemIdentity,
        version: UInt64,
        protection: ProtectionClass,
        synchronizable: Bool,
        tombstone: Bool,
        digests: [UInt8],
        keyParity: KeyParity = .even
    ) {
        self.item = item
        self.identity = identity
        self.version = version
        self.protection = protection
        self.synchronizable = synchronizable
        self.tombstone = tombstone
        self.digests = digests
        self.keyParity = keyParity
    }

    package var itemClass: ItemClass { identity.itemClass }

    package var accessGroup: Bytes8 { identity.accessGroup }

    /// The row number; `nil` if it exceeds SQLite's largest row number.
    package var number: Int64? { Int64(exactly: item.firstHalf.number) }

    /// A random tag, which differs from the tag of a deleted item with the same row number.
    package var tag: Bytes8 { item.secondHalf }
}

/// A row of the table `item`.
package struct ItemRow: Hashable, Sendable {
    package var columns: ItemColumns
    /// The encrypted attributes.
    package var attributes: [UInt8]
    /// The encrypted value; `nil` if the item has none or it was not read.
    package var secret: [UInt8]?

    package init(columns: ItemColumns, attributes: [UInt8], secret: [UInt8]?) {
        self.columns = columns
        self.attributes = attributes
        self.secret = secret
    }
}
