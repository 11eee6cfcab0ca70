// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The purpose of a box, which is one encrypted and authenticated part of an item.
///
/// The box's associated data contains the purpose, so a box cannot be used for another purpose.
enum BoxRole: UInt8 {
    case attributes = 1
    case secret = 2
    case accessControl = 3
    /// The item's own key, wrapped with the class key.
    case itemKey = 4
    /// The item's own key, wrapped for the passcode or application password, before the class key wraps it.
    case innerItemKey = 5
}

/// The associated data of an item's boxes, the AEAD ciphertexts in its row.
///
/// The encoding is `role 1 | suite 1 | protection class 1 | flags 1 | zeros 4 | version 8 | item 16 |
/// identity 32 | access control digest 32`, in total 96 bytes. For the boxes of attributes and access
/// control, the row's index digests follow. They are the only field of variable size and come last, so the encoding
/// is unambiguous.
struct ItemAssociatedData {
    private let item: Bytes16
    private let identity: Bytes32
    private let version: UInt64
    private let protection: ProtectionClass
    private let flags: UInt8
    private let suite: UInt8
    private let accessDigest: Bytes32
    private let digests: [UInt8]

    static let byteCount = 96
    private static let synchronizable: UInt8 = 1
    private static let tombstone: UInt8 = 2

    init(_ columns: ItemColumns, access: ItemAccess? = nil) {
        item = columns.item
        identity = columns.identity.bytes
        version = columns.version
        protection = columns.protection
        flags =
            (columns.synchronizable ? Self.synchronizable : 0) | (columns.tombstone ? Self.tombstone : 0)
        suite = access == nil ? Suite.one.rawValue : Suite.one.constrained
        accessDigest = access?.digest ?? .zero
        digests = columns.digests
    }

    /// The associated data of the value in a row without access control.
    init(ofValueIn row: ValueRow, _ identity: ItemIdentity) {
        item = row.item
        self.identity = identity.bytes
        version = row.version
        protection = row.protection
        flags = (row.synchronizable ? Self.synchronizable : 0) | (row.tombstone ? Self.tombstone : 0)
        suite = Suite.one.rawValue
        accessDigest = .zero
        digests = []
    }

    /// Returns the associated data of a box with this role as an array.
    func callAsFunction(_ role: BoxRole) -> [UInt8] { unsafe withBytes(role) { unsafe Array($0) } }

    /// Calls the closure with the associated data of a box with this role, and `rest` after it, built on the stack.
    @inline(__always)
    func withBytes<Result>(
        _ role: BoxRole,
        followedBy rest: [UInt8] = [],
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let hasDigests = role == .attributes || role == .accessControl
        let count = Self.byteCount + (hasDigests ? digests.count : 0) + rest.count
        return unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { memory in
            var writer = unsafe MemoryWriter(memory)
            writer.append(role.rawValue)
            writer.append(suite)
            writer.append(protection.rawValue)
            writer.append(flags)
            writer.append(UInt32(0))
            writer.append(version)
            unsafe item.withBytes { unsafe writer.append($0) }
            unsafe identity.withBytes { unsafe writer.append($0) }
            unsafe accessDigest.withBytes { unsafe writer.append($0) }
            if hasDigests { unsafe digests.withUnsafeBytes { unsafe writer.append($0) } }
            unsafe rest.withUnsafeBytes { unsafe writer.append($0) }
            return unsafe body(UnsafeRawBufferPointer(rebasing: memory[..<writer.count]))
        }
    }
}
