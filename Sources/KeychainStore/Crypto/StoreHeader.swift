// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The header page, which authenticates all rows and the pages that contain keys: `plain part 40 | boxes of the sums |
/// box`.
///
/// A box is an AEAD ciphertext. The sums are the multiset hashes of the buckets of rows: see ``BucketSums``. The plain
/// part is the associated data of the last box. It contains the format's versions, which are checked before any key is
/// used, so that a newer format gets a specific error.
package struct StoreHeader: Sendable {
    package static let major: UInt16 = 4
    package static let minor: UInt16 = 0

    /// The flags of newer features.
    ///
    /// A version that does not know a flag ignores it in `compatible`, does not write if it is in
    /// `readOnlyCompatible`, and does not read if it is in `incompatible`.
    package var compatible: UInt32 = 0
    package var readOnlyCompatible: UInt32 = 0
    package var incompatible: UInt32 = 0

    /// The number of writes to the store so far.
    package var generation: UInt64 = 0
    package var itemCount: UInt64 = 0
    package var tombstoneCount: UInt64 = 0
    package var keybagDigest: Bytes32
    /// The digest of the lock page; `nil` if no passcode is set.
    package var lockDigest: Bytes32?
    /// The multiset hash of the tombstones.
    package var tombstoneSum: MultisetHash = .zero
    /// Whether an item with an optional part of the primary key, such as a token, was ever written.
    ///
    /// If not, a query that contains all other parts matches at most one item in each access group, and the digest of
    /// the primary key finds this item.
    package var hasOptionalKeys = false
    /// The multiset hashes of the buckets of rows.
    package var bucketSums: BucketSums

    /// The string `LKCH`.
    private static let magic: UInt32 = 0x4843_4B4C
    private static let plainCount = 40
    /// The flag of a store with a lock page.
    ///
    /// A version that does not know the lock page must not write, because its header would lack the page's digest.
    private static let hasLockPage: UInt32 = 1 << 1
    private static let knownReadOnlyCompatible: UInt32 = hasLockPage
    private static let knownIncompatible: UInt32 = 0

    package init(keybagDigest: Bytes32, bucketSums: BucketSums = BucketSums()) {
        self.keybagDigest = keybagDigest
        self.bucketSums = bucketSums
    }

    /// Whether a feature flag of a newer version forbids writing.
    package var isReadOnly: Bool { readOnlyCompatible & ~Self.knownReadOnlyCompatible != 0 }
}

/// The plaintext of the last box of the header page: `generation 8 | items 8 | tombstones 8 | optional keys 8 |
/// keybag digest 32 | lock digest 32 | tombstone sum 16`, followed by the tags of the boxes of the sums, 16 bytes each.
extension StoreHeader {
    /// Encrypts the multiset hashes that have changed and all other fields, and returns the header page.
    package mutating func seal(with keys: StoreKeys) -> [UInt8] {
        bucketSums.seal(with: keys)
        let box = Self.plainCount + BucketSums.byteCount
        let count = box + Self.contentCount + Sealing.overhead
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { page, filled in
            guard let start = page.baseAddress else { return }
            let bytes = UnsafeMutableRawBufferPointer(page)
            var writer = unsafe MemoryWriter(bytes)
            appendPlainPart(to: &writer, store: keys.store)
            unsafe bucketSums.boxes.withUnsafeBytes { unsafe writer.append($0) }
            writer.skip(Sealing.nonceCount)
            appendContent(to: &writer)
            unsafe Sealing.seal(
                UnsafeRawBufferPointer(rebasing: bytes[box + Sealing.nonceCount..<writer.count]),
                under: keys.header,
                associatedData: UnsafeRawBufferPointer(rebasing: bytes[..<Self.plainCount]),
                into: start + box
            )
            filled = count
        }
    }

    /// The plaintext that `seal(with:)` encrypts into the last box of the header page.
    var content: [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Self.contentCount) { content, count in
            var writer = unsafe MemoryWriter(UnsafeMutableRawBufferPointer(content))
            appendContent(to: &writer)
            count = writer.count
        }
    }

    private static let contentCount = 112 + BucketSums.tagsCount

    private func appendContent(to writer: inout MemoryWriter) {
        writer.append(generation)
        writer.append(itemCount)
        writer.append(tombstoneCount)
        writer.append(UInt64(hasOptionalKeys ? 1 : 0))
        unsafe keybagDigest.withBytes { unsafe writer.append($0) }
        unsafe (lockDigest ?? .zero).withBytes { unsafe writer.append($0) }
        unsafe tombstoneSum.bytes.withBytes { unsafe writer.append($0) }
        bucketSums.appendTags(to: &writer)
    }

    private func appendPlainPart(to writer: inout MemoryWriter, store: Bytes16) {
        writer.append(Self.magic)
        writer.append(Self.major)
        writer.append(Self.minor)
        unsafe store.withBytes { unsafe writer.append($0) }
        writer.append(compatible)
        writer.append(readOnlyCompatible & ~Self.hasLockPage | (lockDigest == nil ? 0 : Self.hasLockPage))
        writer.append(incompatible)
        // The byte of the algorithm suite, and three zero bytes.
        writer.append(UInt32(Suite.one.rawValue))
    }

    /// Decrypts the header page, except the multiset hashes of the buckets, which are decrypted when needed.
    ///
    /// - Throws: `notAvailable` with `earlierFormat`, `databaseNewer` or `deviceKeyForeign`, according to the
    ///   plain part; `undecodable` with `headerDamaged` if the page is damaged, or contains the encrypted hashes of
    ///   another header.
    package init(opening page: [UInt8], with keys: StoreKeys) throws(StatusError) {
        let plain = Array(page.prefix(Self.plainCount))
        let flags = try Self.checkPlainPart(plain, store: keys.store)
        let rest = page.dropFirst(Self.plainCount)
        let content = try Sealing.open(
            rest.dropFirst(BucketSums.byteCount),
            under: keys.header,
            associatedData: plain,
            orThrow: .headerDamaged
        )
        let boxes = Array(rest.prefix(BucketSums.byteCount))
        guard var header = unsafe content.withUnsafeBytes({ unsafe Self.parse($0, sums: boxes) }) else {
            throw StatusError(.undecodable, .headerDamaged)
        }
        (header.compatible, header.readOnlyCompatible, header.incompatible) = flags
        if flags.1 & Self.hasLockPage == 0 { header.lockDigest = nil }
        self = header
    }

    private static func checkPlainPart(
        _ plain: [UInt8],
        store: Bytes16
    ) throws(StatusError) -> (UInt32, UInt32, UInt32) {
        let fields = unsafe plain.withUnsafeBytes { buffer -> (UInt16, Bytes16, UInt32, UInt32, UInt32)? in
            var reader = unsafe ByteReader(buffer)
            guard let magic: UInt32 = reader.number(), magic == Self.magic,
                let major: UInt16 = reader.number(), let _: UInt16 = reader.number(),
                let store = reader.bytes16(),
                let compatible: UInt32 = reader.number(),
                let readOnlyCompatible: UInt32 = reader.number(),
                let incompatible: UInt32 = reader.number()
            else { return nil }
            return (major, store, compatible, readOnlyCompatible, incompatible)
        }
        guard let (major, found, compatible, readOnlyCompatible, incompatible) = fields else {
            throw StatusError(.undecodable, .headerDamaged)
        }
        guard major >= Self.major else { throw StatusError(.notAvailable, .earlierFormat) }
        guard major <= Self.major, incompatible & ~knownIncompatible == 0 else {
            throw StatusError(.notAvailable, .databaseNewer)
        }
        guard found == store else { throw StatusError(.notAvailable, .deviceKeyForeign) }
        return (compatible, readOnlyCompatible, incompatible)
    }

    /// Parses the plaintext of the header page's last box, ignoring fields that a newer version appended.
    private static func parse(_ content: UnsafeRawBufferPointer, sums boxes: [UInt8]) -> Self? {
        var reader = unsafe ByteReader(content)
        guard let generation: UInt64 = reader.number(), let itemCount: UInt64 = reader.number(),
            let tombstoneCount: UInt64 = reader.number(), let optionalKeys: UInt64 = reader.number(),
            let keybagDigest = reader.bytes32(),
            let lockDigest = reader.bytes32(), let tombstoneSum = reader.bytes16(),
            let tags = unsafe reader.take(BucketSums.tagsCount),
            let sums = unsafe BucketSums(boxes: boxes, tags: tags)
        else { return nil }
        var header = Self(keybagDigest: keybagDigest, bucketSums: sums)
        header.generation = generation
        header.itemCount = itemCount
        header.tombstoneCount = tombstoneCount
        header.lockDigest = lockDigest
        header.tombstoneSum = MultisetHash(tombstoneSum)
        header.hasOptionalKeys = optionalKeys != 0
        return header
    }
}
