// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The multiset hashes (sums) of all buckets of rows, encrypted in boxes of 16 sums each.
///
/// A ``Bucket`` is a part of the rows, and a box is an AEAD ciphertext. A box is decrypted when one of its sums is
/// needed, and encrypted again only if one of its sums has changed. The encrypted main part of the store's header
/// contains the tag of each of these boxes, so that a box of an earlier header is rejected.
package struct BucketSums: Sendable {
    static let boxCount = 8
    static let byteCount = boxCount * bytesPerBox
    private static let bucketsPerBox = Bucket.count / boxCount
    private static let bytesPerMessage = bucketsPerBox * MultisetHash.byteCount
    private static let bytesPerBox = bytesPerMessage + Sealing.overhead

    /// The encrypted sums as the header contains them: the boxes in order.
    private(set) var boxes: [UInt8]
    /// The decrypted sums, in the order of bucket numbers.
    ///
    /// Only the sums of boxes in `opened` are valid. The array is empty if no box is in `opened`. Its elements are
    /// bytes, because the first use of another array type is slow.
    private var messages: [UInt8]
    private var opened: BoxSet
    private var changed: BoxSet

    private typealias BoxSet = UInt8

    /// Creates the multiset hashes of a store without rows, which are all zero.
    package init() {
        boxes = [UInt8](repeating: 0, count: Self.byteCount)
        messages = Self.zeros
        (opened, changed) = (.max, .max)
    }

    /// Creates a value from the multiset hashes of all buckets, in the order of bucket numbers.
    init(_ sums: [MultisetHash]) {
        self.init()
        messages = unsafe sums.withUnsafeBytes { unsafe Array($0) }
    }

    private static var zeros: [UInt8] { [UInt8](repeating: 0, count: Bucket.count * MultisetHash.byteCount) }

    /// Creates a value from encrypted sums; `nil` if `boxes` has the wrong size, or other tags than `tags`.
    init?(boxes: [UInt8], tags: UnsafeRawBufferPointer) {
        self.boxes = boxes
        messages = []
        (opened, changed) = (0, 0)
        guard boxes.count == Self.byteCount, unsafe self.tags.elementsEqual(tags) else { return nil }
    }

    /// The Poly1305 tags of the encrypted boxes, in order.
    var tags: [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Self.tagsCount) { tags, count in
            var writer = unsafe MemoryWriter(UnsafeMutableRawBufferPointer(tags))
            appendTags(to: &writer)
            count = writer.count
        }
    }

    static let tagsCount = boxCount * Sealing.tagCount

    func appendTags(to writer: inout MemoryWriter) {
        unsafe boxes.withUnsafeBytes { boxes in
            for box in 0..<Self.boxCount {
                let tag = unsafe boxes[Self.range(of: box)].suffix(Sealing.tagCount)
                unsafe writer.append(UnsafeRawBufferPointer(rebasing: tag))
            }
        }
    }

    /// Returns the multiset hash of a bucket; decrypts it if necessary.
    ///
    /// - Throws: `undecodable` with `headerDamaged` if decryption fails.
    package mutating func sum(of bucket: Bucket, with keys: StoreKeys) throws(StatusError) -> MultisetHash {
        try open(Self.box(of: bucket), with: keys)
        return self[bucket]
    }

    /// Returns the multiset hashes of all buckets, in the order of bucket numbers.
    package mutating func all(with keys: StoreKeys) throws(StatusError) -> [MultisetHash] {
        for box in 0..<Self.boxCount { try open(box, with: keys) }
        return Bucket.all.map { self[$0] }
    }

    /// Changes the multiset hash of a bucket; decrypts it if necessary.
    ///
    /// - Throws: `undecodable` with `headerDamaged` if decryption fails.
    package mutating func change(
        _ bucket: Bucket,
        with keys: StoreKeys,
        _ body: (inout MultisetHash) -> Void
    ) throws(StatusError) {
        let box = Self.box(of: bucket)
        try open(box, with: keys)
        changed |= Self.set(of: box)
        var sum = self[bucket]
        body(&sum)
        unsafe messages.withUnsafeMutableBytes {
            unsafe $0.storeBytes(of: sum, toByteOffset: Self.offset(of: bucket), as: MultisetHash.self)
        }
    }

    private subscript(bucket: Bucket) -> MultisetHash {
        unsafe messages.withUnsafeBytes {
            unsafe $0.loadUnaligned(fromByteOffset: Self.offset(of: bucket), as: MultisetHash.self)
        }
    }

    private static func offset(of bucket: Bucket) -> Int { bucket.number * MultisetHash.byteCount }

    /// Encrypts again the boxes whose multiset hashes have changed.
    mutating func seal(with keys: StoreKeys) {
        let (messages, changed) = (messages, changed)
        unsafe boxes.withUnsafeMutableBufferPointer { boxes in
            guard let start = boxes.baseAddress else { return }
            for box in 0..<Self.boxCount where changed & Self.set(of: box) != 0 {
                unsafe Self.seal(box, of: messages, with: keys, into: start + box * Self.bytesPerBox)
            }
        }
        self.changed = 0
    }

    private static func seal(
        _ box: Int,
        of messages: [UInt8],
        with keys: StoreKeys,
        into target: UnsafeMutablePointer<UInt8>
    ) {
        let first = box * bytesPerMessage
        unsafe messages[first..<first + bytesPerMessage].withUnsafeBytes { content in
            unsafe associatedData(of: box).withUnsafeBytes {
                unsafe Sealing.seal(content, under: keys.header, associatedData: $0, into: target)
            }
        }
    }

    private mutating func open(_ box: Int, with keys: StoreKeys) throws(StatusError) {
        guard opened & Self.set(of: box) == 0 else { return }
        let message = try Sealing.open(
            boxes[Self.range(of: box)],
            under: keys.header,
            associatedData: Self.associatedData(of: box),
            orThrow: .headerDamaged
        )
        if messages.isEmpty { messages = Self.zeros }
        let first = box * Self.bytesPerMessage
        messages.replaceSubrange(first..<first + Self.bytesPerMessage, with: message)
        opened |= Self.set(of: box)
    }

    private static func box(of bucket: Bucket) -> Int { bucket.number / bucketsPerBox }

    private static func set(of box: Int) -> BoxSet { 1 << BoxSet(box) }

    private static func range(of box: Int) -> Range<Int> { box * bytesPerBox..<(box + 1) * bytesPerBox }

    private static func associatedData(of box: Int) -> [UInt8] {
        var data = ByteWriter(capacity: 5)
        data.append("sums")
        data.append(UInt8(box))
        return data.bytes
    }
}
