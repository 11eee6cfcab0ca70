// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// What a box of an item is for; a box of one role never opens in another.
enum BoxRole: UInt8 {
    case attributes = 1
    case secret = 2
    case accessControl = 3
    /// The item's own key under the class key.
    case itemKey = 4
    /// The item's own key under what an authentication gives, inside of that.
    case innerItemKey = 5
}

/// The associated data of an item's boxes: 96 bytes, and the index digests for attributes and access control.
///
/// `role 1 | suite 1 | protection class 1 | flags 1 | zeros 4 | version 8 | item 16 | identity 32 | access control digest 32`.
/// Every field but the last has a fixed size, so no two run into each other.
struct ItemAssociatedData {
    private var bytes: [UInt8]
    private let digests: [UInt8]

    static let byteCount = 96
    private static let synchronizable: UInt8 = 1
    private static let tombstone: UInt8 = 2

    init(_ columns: ItemColumns, access: ItemAccess? = nil) {
        var writer = ByteWriter(capacity: Self.byteCount + columns.digests.count)
        writer.append(UInt8(0))
        writer.append(access == nil ? Suite.one.rawValue : Suite.one.constrained)
        writer.append(columns.protection.rawValue)
        writer.append(
            (columns.synchronizable ? Self.synchronizable : 0) | (columns.tombstone ? Self.tombstone : 0)
        )
        writer.append(zeros: 4)
        writer.append(columns.version)
        writer.append(columns.item)
        writer.append(columns.identity.bytes)
        writer.append(access?.digest ?? .zero)
        bytes = writer.bytes
        digests = columns.digests
    }

    /// The associated data of a box, whichever role it has.
    func callAsFunction(_ role: BoxRole) -> [UInt8] {
        var data = bytes
        data[0] = role.rawValue
        if role == .attributes || role == .accessControl { data += digests }
        return data
    }
}
