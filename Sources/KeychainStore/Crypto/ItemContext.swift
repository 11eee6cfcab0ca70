// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
package import KeychainModel

/// What a record is for; a box of one role never opens in another.
enum RecordRole: UInt8 {
    case attributes = 1
    case wrappedAttributesKey = 2
    case secret = 3
    case wrappedSecretKey = 4
    /// The innermost wraps of an item under access control; they outlast a new class key.
    case innerAttributesKey = 5
    case innerSecretKey = 6
    case accessControl = 7
}

/// The 116 bytes that bind a record to its store, item, version, class and columns.
///
/// `"LKC1" | suite 1 | role 1 | item class 1 | protection class 1 | class key 4 | version 8 | store 16 | item 16 |
/// access control digest 32 | columns digest 32`. Every field has a fixed size, so no two contexts run into each other.
struct ItemContext {
    private(set) var bytes: [UInt8]

    static let byteCount = 116
    /// `LKC1`.
    private static let magic: UInt32 = 0x3143_4B4C
    private static let suitePlace = 4
    private static let rolePlace = 5
    private static let itemClassPlace = 6
    private static let protectionPlace = 7
    private static let classKeyPlace = 8
    private static let versionPlace = 12
    private static let storePlace = 20
    private static let itemPlace = 36
    private static let accessPlace = 52
    private static let columnsPlace = 84

    init(_ columns: ItemColumns, store: Bytes16, access: ItemAccess? = nil) {
        // What is not set here is zero: the class key and the version until they are known, the digest of the access
        // control for an item that has no constraints.
        bytes = [UInt8](repeating: 0, count: Self.byteCount)
        unsafe withUnsafeBytes(of: Self.magic.littleEndian) { unsafe put($0, at: 0) }
        bytes[Self.suitePlace] = access == nil ? Suite.one.rawValue : Suite.one.constrained
        bytes[Self.itemClassPlace] = columns.itemClass.rawValue
        bytes[Self.protectionPlace] = columns.protection.rawValue
        unsafe store.withBytes { unsafe put($0, at: Self.storePlace) }
        unsafe columns.item.withBytes { unsafe put($0, at: Self.itemPlace) }
        if let access { unsafe access.digest.withBytes { unsafe put($0, at: Self.accessPlace) } }
    }

    /// The context of the sealed access control itself, which cannot have its own digest.
    mutating func accessControl(version: UInt64, columns: Bytes32, classKey: UInt32) -> [UInt8] {
        let digest = Array(bytes[Self.accessPlace..<Self.columnsPlace])
        set(.accessControl, version, classKey)
        unsafe Bytes32.zero.withBytes { unsafe put($0, at: Self.accessPlace) }
        unsafe columns.withBytes { unsafe put($0, at: Self.columnsPlace) }
        defer { unsafe digest.withUnsafeBytes { unsafe put($0, at: Self.accessPlace) } }
        bytes[Self.suitePlace] = Suite.one.constrained
        return bytes
    }

    /// The context of the wraps within that of the class key, made of the one of the box.
    static func inner(_ box: [UInt8]) -> [UInt8] {
        var inner = box
        inner[rolePlace] =
            box[rolePlace] == RecordRole.secret.rawValue
            ? RecordRole.innerSecretKey.rawValue : RecordRole.innerAttributesKey.rawValue
        return inner
    }

    /// The context of the attributes' box, or of the key that seals it where a class key is named.
    mutating func attributes(version: UInt64, columns: Bytes32, classKey: UInt32? = nil) -> [UInt8] {
        set(classKey == nil ? .attributes : .wrappedAttributesKey, version, classKey)
        unsafe columns.withBytes { unsafe put($0, at: Self.columnsPlace) }
        return bytes
    }

    /// The context of the value's box, or of the key that seals it where a class key is named.
    mutating func secret(version: UInt64, classKey: UInt32? = nil) -> [UInt8] {
        set(classKey == nil ? .secret : .wrappedSecretKey, version, classKey)
        unsafe Bytes32.zero.withBytes { unsafe put($0, at: Self.columnsPlace) }
        return bytes
    }

    private mutating func set(_ role: RecordRole, _ version: UInt64, _ classKey: UInt32?) {
        bytes[Self.rolePlace] = role.rawValue
        unsafe withUnsafeBytes(of: (classKey ?? 0).littleEndian) { unsafe put($0, at: Self.classKeyPlace) }
        unsafe withUnsafeBytes(of: version.littleEndian) { unsafe put($0, at: Self.versionPlace) }
    }

    private mutating func put(_ field: UnsafeRawBufferPointer, at place: Int) {
        unsafe bytes.withUnsafeMutableBytes { context in
            unsafe UnsafeMutableRawBufferPointer(rebasing: context[place..<place + field.count])
                .copyMemory(from: field)
        }
    }
}

extension ItemColumns {
    /// SHA-256 of every column that stands unsealed, but the item's identifier, which is in the context itself.
    package var digest: Bytes32 {
        var message = ByteWriter(capacity: 96 + digests.count)
        message.append("lkc/1/columns")
        message.append(itemClass.rawValue)
        message.append(version)
        message.append(accessGroup)
        message.append(protection.rawValue)
        message.append(UInt8(synchronizable ? 1 : 0))
        message.append(UInt8(tombstone ? 1 : 0))
        message.append(identity)
        message.append(digests)
        return Bytes32(sha256: message.bytes)
    }
}
