// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The record of an item's encrypted attributes: `suite 1 | box`.
///
/// If the high bit of the suite is set, the box is preceded by the encrypted access control and, if the item
/// has a key of its own, by that key in wrapped form.
struct AttributesRecord {
    let wrappedKey: ArraySlice<UInt8>
    let box: ArraySlice<UInt8>

    private static let accessCount = ItemAccess.byteCount + Sealing.overhead

    static func suite(_ access: ItemAccess?) -> UInt8 {
        access == nil ? Suite.one.rawValue : Suite.one.constrained
    }

    /// Whether a record claims to have an access control; decryption verifies the claim.
    static func hasAccessControl(_ bytes: [UInt8]) -> Bool { bytes.first == Suite.one.constrained }

    /// Returns the encrypted access control; `nil` if the record has none.
    static func sealedAccess(of bytes: [UInt8]) throws(StatusError) -> ArraySlice<UInt8>? {
        guard hasAccessControl(bytes) else { return nil }
        guard bytes.count > accessCount else { throw StatusError(.undecodable, .recordDamaged) }
        return bytes[1...accessCount]
    }

    init(_ bytes: [UInt8], _ access: ItemAccess?) throws(StatusError) {
        let start = 1 + (access == nil ? 0 : Self.accessCount)
        let end = start + ItemKeyWrapper.wrappedKeyCount(access)
        guard bytes.first == Self.suite(access), bytes.count >= end + Sealing.overhead else {
            throw StatusError(.undecodable, .recordDamaged)
        }
        wrappedKey = bytes[start..<end]
        box = bytes[end...]
    }
}

/// The encrypted value of an item: `suite 1 | box` with the message `value | zeros | byte count 4`.
enum SecretRecord {
    static let countSize = 4

    static func seal(
        _ secret: SecretBuffer,
        under key: SecretKey,
        _ access: ItemAccess?,
        _ associatedData: ItemAssociatedData
    ) throws(StatusError) -> [UInt8] {
        guard secret.count <= Padding.largestCount else { throw StatusError(.dataTooLarge) }
        let padded = Padding.paddedCount(secret.count)
        let plain = unsafe SecretBuffer(count: padded + countSize) { plain in
            unsafe plain.initializeMemory(as: UInt8.self, repeating: 0)
            unsafe secret.withUnsafeBytes { unsafe plain.copyMemory(from: $0) }
            unsafe plain.storeBytes(
                of: UInt32(secret.count).littleEndian,
                toByteOffset: padded,
                as: UInt32.self
            )
        }
        return unsafe plain.withUnsafeBytes { plain in
            unsafe associatedData.withBytes(.secret) {
                unsafe Sealing.seal(
                    plain,
                    under: key,
                    associatedData: $0,
                    after: [AttributesRecord.suite(access)]
                )
            }
        }
    }

    /// Decrypts the value in a record; `nil` for a damaged record.
    ///
    /// The returned buffer is erased when its last owner releases it.
    static func open(
        _ record: UnsafeRawBufferPointer,
        under key: SecretKey,
        _ access: ItemAccess?,
        _ associatedData: UnsafeRawBufferPointer
    ) -> SecretBuffer? {
        guard unsafe record.first == AttributesRecord.suite(access),
            record.count >= 1 + Sealing.overhead + countSize
        else { return nil }
        let box = unsafe UnsafeRawBufferPointer(rebasing: record[1...])
        return unsafe SecretBuffer(capacity: box.count - Sealing.overhead) { plain in
            let target = unsafe plain.assumingMemoryBound(to: UInt8.self).baseAddress
            let isOpen = unsafe Sealing.open(box, under: key, associatedData: associatedData, into: target)
            return unsafe isOpen ? byteCount(in: UnsafeRawBufferPointer(plain)) : nil
        }
    }

    /// Whether a record claims to belong to an item without access control; decryption verifies the claim.
    static func isUnconstrained(_ record: UnsafeRawBufferPointer) -> Bool {
        unsafe record.first == AttributesRecord.suite(nil)
    }

    /// Returns the authentication tag of the record's box, which differs for every encryption.
    static func tag(of bytes: [UInt8]) -> Bytes16? {
        unsafe bytes.withUnsafeBytes { unsafe Bytes16(UnsafeRawBufferPointer(rebasing: $0.suffix(16))) }
    }

    /// Returns the byte count of the value in a decrypted message; `nil` if the count is invalid.
    static func byteCount(in message: UnsafeRawBufferPointer) -> Int? {
        let end = message.count - countSize
        guard end >= 0 else { return nil }
        let count = Int(
            UInt32(littleEndian: unsafe message.loadUnaligned(fromByteOffset: end, as: UInt32.self))
        )
        return count <= end ? count : nil
    }
}
