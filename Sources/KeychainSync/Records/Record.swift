// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
package import KeychainStore

/// A version of an item as etcd stores it: sealed with a key of the circle and signed by its author.
///
/// `Documentation/Synchronization.md` describes the encoding byte by byte.
package struct Record: Hashable, Sendable {
    package static let magic = "KCR1"
    /// The maximum size of a record's padded content, in bytes; a larger item stays on its device.
    package static let largestCount = 1 << 20

    package let header: RecordHeader
    /// The encoded record; its last 64 bytes are the signature of all bytes before them.
    package let encoded: [UInt8]
    /// The digest of the encoded record; ``term`` is made from it, and the next version has it as `base`.
    package let digest: Bytes32
    private let box: [UInt8]
    private let associatedData: [UInt8]

    /// The term of the record in the sum over all records; see ``Head``.
    ///
    /// Each access computes it, which takes about 30 µs.
    package var term: RecordSum {
        Self.term(name: header.name, digest: digest)
    }

    private static func digest(of encoded: [UInt8]) -> Bytes32 {
        SynchronizationCryptography.digest("kc-record-1", encoded)
    }

    package static func term(name: Bytes32, digest: Bytes32) -> RecordSum {
        RecordSum(termOf: Array("kc-set-1".utf8) + name.bytes + digest.bytes)
    }

    package var order: RecordOrder {
        RecordOrder(clock: header.clock, kind: header.kind, device: header.device, digest: digest)
    }

    /// Seals and signs a version of an item; a tombstone has no item.
    package init(
        _ header: RecordHeader,
        _ item: SynchronizedItem?,
        under keys: EpochKeys,
        by device: DeviceKeys
    ) {
        var writer = FieldWriter()
        header.append(to: &writer)
        var plain = RecordContent.encoded(item)
        defer { plain.wipe() }
        writer.append(UInt32(clamping: plain.count + SynchronizationCryptography.overhead))
        associatedData = writer.bytes
        box = SynchronizationCryptography.seal(plain, under: keys.records, associatedData: associatedData)
        writer.append(box)
        writer.append(device.sign.signature(of: writer.bytes))
        self.header = header
        encoded = writer.bytes
        digest = Self.digest(of: encoded)
    }

    /// Decodes a record without checking its signature; `nil` if it is malformed.
    package init?(decoding bytes: [UInt8]) {
        guard bytes.count <= Self.largestCount + 4_096 else { return nil }
        var reader = FieldReader(bytes)
        guard let header = RecordHeader(&reader), let length: UInt32 = reader.number() else { return nil }
        associatedData = reader.prefix
        guard let box = reader.take(Int(length)),
            reader.take(Ed25519PrivateKey.signatureCount) != nil, reader.isAtEnd
        else { return nil }
        self.header = header
        self.box = box
        encoded = bytes
        digest = Self.digest(of: bytes)
    }

    package func isSigned(by key: Ed25519PublicKey) -> Bool {
        let count = encoded.count - Ed25519PrivateKey.signatureCount
        return key.isValid(Array(encoded[count...]), of: Array(encoded[..<count]))
    }

    /// Decrypts the record; `nil` if it was not sealed with these keys, or its content is malformed or of an unknown
    /// version.
    package func open(under keys: EpochKeys) -> RecordContent? {
        guard keys.epoch == header.epoch,
            var plain = SynchronizationCryptography.open(
                box,
                under: keys.records,
                associatedData: associatedData
            )
        else { return nil }
        defer { plain.wipe() }
        return RecordContent(decoding: plain, kind: header.kind)
    }
}

/// The fields of a record that etcd's operator can read.
///
/// They are authenticated: the signature covers them, and they are the associated data of the sealed content.
package struct RecordHeader: Hashable, Sendable {
    package var circle: Bytes16
    package var generation: UInt32
    package var name: Bytes32
    package var epoch: UInt32
    package var device: Bytes16
    package var sequence: UInt64
    package var clock: HybridClock
    /// The digest of the record on which the author's change is based; zeros for the first record of an item.
    package var base: Bytes32
    package var kind: RecordKind

    package init(
        circle: Bytes16,
        generation: UInt32,
        name: Bytes32,
        epoch: UInt32,
        device: Bytes16,
        sequence: UInt64,
        clock: HybridClock,
        base: Bytes32,
        kind: RecordKind
    ) {
        self.circle = circle
        self.generation = generation
        self.name = name
        self.epoch = epoch
        self.device = device
        self.sequence = sequence
        self.clock = clock
        self.base = base
        self.kind = kind
    }

    fileprivate func append(to writer: inout FieldWriter) {
        writer.append(Record.magic)
        writer.append(circle)
        writer.append(generation)
        writer.append(name)
        writer.append(epoch)
        writer.append(device)
        writer.append(sequence)
        writer.append(clock.value)
        writer.append(base)
        writer.append(kind.rawValue)
    }

    fileprivate init?(_ reader: inout FieldReader) {
        guard reader.skip(Record.magic), let circle = reader.bytes16(),
            let generation: UInt32 = reader.number(),
            let name = reader.bytes32(), let epoch: UInt32 = reader.number(), let device = reader.bytes16(),
            let sequence: UInt64 = reader.number(), let clock: UInt64 = reader.number(),
            HybridClock(value: clock) <= .latest,
            let base = reader.bytes32(), let code: UInt8 = reader.number(),
            let kind = RecordKind(rawValue: code)
        else { return nil }
        self.init(
            circle: circle,
            generation: generation,
            name: name,
            epoch: epoch,
            device: device,
            sequence: sequence,
            clock: HybridClock(value: clock),
            base: base,
            kind: kind
        )
    }
}

package struct RecordContent: Sendable {
    /// The item; `nil` for a tombstone.
    package let item: SynchronizedItem?

    private static let version: UInt8 = 1

    /// Encodes the format's version (1 byte), the length (4 bytes) and the item, padded so that sizes reveal little.
    fileprivate static func encoded(_ item: SynchronizedItem?) -> [UInt8] {
        let content = item?.encoded ?? []
        var writer = FieldWriter()
        writer.append(version)
        writer.append(UInt32(clamping: content.count))
        writer.append(content)
        let count = paddedCount(writer.bytes.count)
        writer.append(repeatElement(0, count: count - writer.bytes.count))
        return writer.bytes
    }

    /// Returns the size to which a content of `count` bytes is padded.
    ///
    /// It is a multiple of 128; above 4 KiB, of one eighth of the greatest power of two below `count`.
    package static func paddedCount(_ count: Int) -> Int {
        let power = Int.bitWidth - 1 - (max(count, 2) - 1).leadingZeroBitCount
        let step = count <= 4_096 ? 128 : (1 << power) / 8
        return (count + step - 1) / step * step
    }

    fileprivate init?(decoding plain: [UInt8], kind: RecordKind) {
        var reader = FieldReader(plain)
        guard reader.number() == Self.version, let length: UInt32 = reader.number(),
            var content = reader.take(Int(length))
        else { return nil }
        defer { content.wipe() }
        switch kind {
        case .tombstone:
            guard content.isEmpty else { return nil }
            item = nil
        case .item:
            guard let decoded = SynchronizedItem(decoding: content) else { return nil }
            item = decoded
        }
    }
}
