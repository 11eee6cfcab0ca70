// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The purpose of a box of an item; a box never opens for another purpose.
enum BoxRole: UInt8 {
    case attributes = 1
    case secret = 2
    case accessControl = 3
    /// The item's own key, wrapped with the class key.
    case itemKey = 4
    /// The item's own key, wrapped for its user or application password; the content of `itemKey`.
    case innerItemKey = 5
}

/// The associated data of an item's boxes.
///
/// 96 bytes, and for attributes and access control also the index digests: `role 1 | suite 1 | protection
/// class 1 | flags 1 | zeros 4 | version 8 | item 16 | identity 32 | access control digest 32`. All fields
/// except the last have fixed sizes, so the encoding is unambiguous.
struct ItemAssociatedData {
    private let columns: ItemColumns
    private let suite: UInt8
    private let accessDigest: Bytes32

    static let byteCount = 96
    private static let synchronizable: UInt8 = 1
    private static let tombstone: UInt8 = 2

    init(_ columns: ItemColumns, access: ItemAccess? = nil) {
        self.columns = columns
        suite = access == nil ? Suite.one.rawValue : Suite.one.constrained
        accessDigest = access?.digest ?? .zero
    }

    /// The associated data of a box with this role.
    func callAsFunction(_ role: BoxRole) -> [UInt8] {
        let hasDigests = role == .attributes || role == .accessControl
        var writer = ByteWriter(capacity: Self.byteCount + (hasDigests ? columns.digests.count : 0))
        writer.append(role.rawValue)
        writer.append(suite)
        writer.append(columns.protection.rawValue)
        writer.append(
            (columns.synchronizable ? Self.synchronizable : 0) | (columns.tombstone ? Self.tombstone : 0)
        )
        writer.append(UInt32(0))
        writer.append(columns.version)
        writer.append(columns.item)
        writer.append(columns.identity.bytes)
        writer.append(accessDigest)
        if hasDigests { writer.append(columns.digests) }
        return writer.bytes
    }
}
