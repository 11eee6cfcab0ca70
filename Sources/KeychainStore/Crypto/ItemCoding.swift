// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The attributes of an item before encryption.
///
/// The encoding is `encoding 1 | has value 1 | tag of the encrypted value 16 (only with a value) | count 1`, then for
/// each attribute `number 1 | type 1 | length 4 | bytes`. In a row, zeros up to the padded size follow.
struct SealedAttributes {
    var attributes: Attributes
    /// The authentication tag of the encrypted value, so that an older encrypted value is rejected.
    var secretTag: Bytes16?

    private static let encoding: UInt8 = 1

    init(attributes: Attributes, secretTag: Bytes16?) {
        self.attributes = attributes
        self.secretTag = secretTag
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacity: 256)
        writer.append(Self.encoding)
        writer.append(UInt8(secretTag == nil ? 0 : 1))
        if let secretTag { writer.append(secretTag) }
        writer.append(UInt8(clamping: attributes.entries.count))
        for entry in attributes.entries {
            writer.append(entry.attribute.rawValue)
            writer.append(entry.value.typeCode)
            unsafe entry.value.withCanonicalBytes { bytes in
                writer.append(UInt32(clamping: bytes.count))
                unsafe writer.append(bytes)
            }
        }
        return writer.bytes
    }

    init?(decoding bytes: UnsafeRawBufferPointer) {
        var reader = unsafe ByteReader(bytes)
        guard reader.number() == Self.encoding, let hasSecret: UInt8 = reader.number() else { return nil }
        if hasSecret == 1 {
            guard let tag = reader.bytes16() else { return nil }
            secretTag = tag
        }
        guard let count: UInt8 = reader.number() else { return nil }
        attributes = Attributes(reservingCapacity: Int(count) + 4)
        for _ in 0..<count {
            guard let number: UInt8 = reader.number(), let attribute = Attribute(rawValue: number),
                let type: UInt8 = reader.number(), let length: UInt32 = reader.number(),
                let bytes = unsafe reader.take(Int(length)),
                let value = unsafe AttributeValue(typeCode: type, canonicalBytes: bytes)
            else { return nil }
            attributes[attribute] = value
        }
    }
}

/// Rounds sizes up, so that a box reveals little about the length of its content.
///
/// Sizes up to 256 bytes become multiples of 32, sizes up to 2 KiB multiples of 128, and larger ones multiples
/// of an eighth of the next lower power of two.
enum Padding {
    /// The largest padded size that fits, with the item's other columns, into an SQLite row of 10^9 bytes.
    static let largestCount = 939_524_096

    static func paddedCount(_ count: Int) -> Int {
        func round(_ count: Int, to step: Int) -> Int { (count + step - 1) / step * step }
        if count <= 256 { return max(round(count, to: 32), 32) }
        if count <= 2_048 { return round(count, to: 128) }
        // The padding adds at most 12.5 %.
        let power = Int.bitWidth - 1 - (count - 1).leadingZeroBitCount
        return round(count, to: (1 << power) / 8)
    }

    static func pad(_ bytes: inout [UInt8]) {
        bytes.append(contentsOf: repeatElement(0, count: paddedCount(bytes.count) - bytes.count))
    }
}
