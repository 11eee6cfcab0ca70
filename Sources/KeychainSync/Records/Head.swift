// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
package import KeychainStore

/// The signed summary of what one device has written; each transaction of the device replaces it.
///
/// The term of a record is a curve point made from its name and digest. At every revision of etcd, the sums
/// in all heads and of all removed devices add up to the sum of the terms of all records. A server therefore
/// cannot drop, restore or hide a record unnoticed.
package struct Head: Hashable, Sendable {
    package static let magic = "KCH1"

    package let circle: Bytes16
    package let generation: UInt32
    package let device: Bytes16
    package let sequence: UInt64
    /// The digest of the device's previous head; zeros for the first one.
    package let previous: Bytes32
    /// The digest of the newest ``Manifest`` (device list) that the device had received.
    package let manifest: Bytes32
    package let epoch: UInt32
    package let encoded: [UInt8]
    private let box: [UInt8]
    private let associatedData: [UInt8]

    package var digest: Bytes32 { SynchronizationCryptography.digest("kc-head-1", encoded) }

    /// The encrypted part of a head, which only the devices of the circle can read.
    package struct Content: Hashable, Sendable {
        /// The sum of the terms of the records that the device wrote, less the terms of those that it replaced or
        /// deleted.
        package var sum: RecordSum
        /// When the head was made, in milliseconds since 1970 by the device's clock.
        package var time: UInt64
        /// The revision of etcd up to which the device has applied changes.
        package var revision: UInt64
        /// For each device, the sequence number of its newest head that the author of this head has received.
        package var seen: [Bytes16: UInt64]

        package init(sum: RecordSum, time: UInt64, revision: UInt64, seen: [Bytes16: UInt64]) {
            self.sum = sum
            self.time = time
            self.revision = revision
            self.seen = seen
        }
    }

    /// Seals and signs the next head of a device.
    package init(
        _ content: Content,
        sequence: UInt64,
        previous: Bytes32,
        in manifest: Manifest,
        under keys: EpochKeys,
        by device: DeviceKeys
    ) {
        circle = manifest.circle
        generation = manifest.generation
        self.device = device.identifier
        self.sequence = sequence
        self.previous = previous
        self.manifest = manifest.digest
        epoch = keys.epoch
        var writer = FieldWriter()
        writer.append(Self.magic)
        writer.append(circle)
        writer.append(generation)
        writer.append(device.identifier)
        writer.append(sequence)
        writer.append(previous)
        writer.append(manifest.digest)
        writer.append(keys.epoch)
        let plain = content.encoded
        writer.append(UInt32(plain.count + SynchronizationCryptography.overhead))
        associatedData = writer.bytes
        box = SynchronizationCryptography.seal(plain, under: keys.heads, associatedData: associatedData)
        writer.append(box)
        writer.append(device.sign.signature(of: writer.bytes))
        encoded = writer.bytes
    }

    /// Decodes a head without checking its signature; `nil` if it is malformed.
    package init?(decoding bytes: [UInt8]) {
        var reader = FieldReader(bytes)
        guard reader.skip(Self.magic), let circle = reader.bytes16(),
            let generation: UInt32 = reader.number(),
            let device = reader.bytes16(), let sequence: UInt64 = reader.number(),
            let previous = reader.bytes32(), let manifest = reader.bytes32(),
            let epoch: UInt32 = reader.number(), let length: UInt32 = reader.number()
        else { return nil }
        associatedData = reader.prefix
        guard let box = reader.take(Int(length)),
            reader.take(Ed25519PrivateKey.signatureCount) != nil, reader.isAtEnd
        else { return nil }
        self.circle = circle
        self.generation = generation
        self.device = device
        self.sequence = sequence
        self.previous = previous
        self.manifest = manifest
        self.epoch = epoch
        self.box = box
        encoded = bytes
    }

    package func isSigned(by key: Ed25519PublicKey) -> Bool {
        let count = encoded.count - Ed25519PrivateKey.signatureCount
        return key.isValid(Array(encoded[count...]), of: Array(encoded[..<count]))
    }

    /// Decrypts the content; `nil` if it was not sealed with these keys or is malformed.
    package func open(under keys: EpochKeys) -> Content? {
        guard keys.epoch == epoch else { return nil }
        return SynchronizationCryptography.open(box, under: keys.heads, associatedData: associatedData)
            .flatMap { Content(decoding: $0) }
    }
}

extension Head.Content {
    fileprivate var encoded: [UInt8] {
        var writer = FieldWriter()
        writer.append(sum.bytes)
        writer.append(time)
        writer.append(revision)
        writer.append(UInt16(clamping: seen.count))
        for (device, sequence) in seen.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
            writer.append(device)
            writer.append(sequence)
        }
        return writer.bytes
    }

    fileprivate init?(decoding bytes: [UInt8]) {
        var reader = FieldReader(bytes)
        guard let encodedSum = reader.bytes32(), let sum = RecordSum(encodedSum),
            let time: UInt64 = reader.number(), let revision: UInt64 = reader.number(),
            let count: UInt16 = reader.number()
        else { return nil }
        var seen: [Bytes16: UInt64] = [:]
        for _ in 0..<count {
            guard let device = reader.bytes16(), let sequence: UInt64 = reader.number() else { return nil }
            seen[device] = sequence
        }
        guard reader.isAtEnd else { return nil }
        self.init(sum: sum, time: time, revision: revision, seen: seen)
    }
}
