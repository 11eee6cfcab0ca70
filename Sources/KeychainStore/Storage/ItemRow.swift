// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The digest of an item's unique attributes, after its access group and class.
///
/// `access group 8 | class 1 | digest 23`. As it begins with the group and the class, the index that makes it unique also
/// finds the items of a group.
package struct ItemIdentity: Hashable, Sendable {
    package let bytes: Bytes32
    package let itemClass: ItemClass

    package static let prefixCount = 9

    /// Reads an identity; `nil` if its class is unknown.
    package init?(_ bytes: Bytes32) {
        guard let itemClass = unsafe bytes.withBytes({ unsafe ItemClass(rawValue: $0[8]) }) else {
            return nil
        }
        self.bytes = bytes
        self.itemClass = itemClass
    }

    /// Puts the access group and the class in front of a digest, which loses its last bytes.
    package init(_ itemClass: ItemClass, in group: Bytes8, digest: Bytes32) {
        self.itemClass = itemClass
        bytes = unsafe Bytes32 { target in
            unsafe group.withBytes { unsafe target.update(from: $0.assumingMemoryBound(to: UInt8.self)) }
            unsafe target[8] = itemClass.rawValue
            unsafe digest.withBytes { digest in
                for index in Self.prefixCount..<Bytes32.count {
                    unsafe target[index] = digest[index - Self.prefixCount]
                }
            }
        }
    }

    /// The digest of the access group's name.
    package var accessGroup: Bytes8 { bytes.truncatedTo8 }

    /// The bucket of the multiset hash to which the row belongs.
    package var bucket: Bucket {
        Bucket(unsafe bytes.withBytes { unsafe $0[Self.prefixCount] })
    }
}

extension UnsafeMutablePointer<UInt8> {
    fileprivate func update(from bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress else { return }
        unsafe update(from: start, count: bytes.count)
    }
}

/// The columns of an item that are on disk in the clear: numbers and digests.
package struct ItemColumns: Hashable, Sendable {
    /// The row number and the tag, which persistent references carry.
    package var item: Bytes16
    package var identity: ItemIdentity
    /// Grows with each change of the item.
    package var version: UInt64
    package var protection: ProtectionClass
    package var synchronizable: Bool
    /// The item was deleted and only its identity is remembered.
    package var tombstone: Bool
    /// The digests of the searchable attributes.
    package var digests: [UInt8]

    package init(
        item: Bytes16,
        identity: ItemIdentity,
        version: UInt64,
        protection: ProtectionClass,
        synchronizable: Bool,
        tombstone: Bool,
        digests: [UInt8]
    ) {
        self.item = item
        self.identity = identity
        self.version = version
        self.protection = protection
        self.synchronizable = synchronizable
        self.tombstone = tombstone
        self.digests = digests
    }

    package var itemClass: ItemClass { identity.itemClass }

    package var accessGroup: Bytes8 { identity.accessGroup }

    /// The number of the row; `nil` for one that no database assigns.
    package var number: Int64? { Int64(exactly: item.firstHalf.number) }

    /// The random bytes that tell the item from an earlier one in the same row.
    package var tag: Bytes8 { item.secondHalf }
}

/// A row of the database.
package struct ItemRow: Hashable, Sendable {
    package var columns: ItemColumns
    /// The sealed attributes.
    package var attributes: [UInt8]
    /// The sealed value; `nil` if the item has none or it was not read.
    package var secret: [UInt8]?

    package init(columns: ItemColumns, attributes: [UInt8], secret: [UInt8]?) {
        self.columns = columns
        self.attributes = attributes
        self.secret = secret
    }
}
