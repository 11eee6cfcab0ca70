// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The multiset hash of a set of rows: the sum of their keyed hashes modulo 2^128.
///
/// Adding, removing or replacing a row changes the sum, and the difference cannot be computed without the
/// key.
package struct MultisetHash: Hashable, Sendable {
    /// The sum in native byte order, which must be little-endian because ``BucketSums`` stores it.
    private var value: UInt128

    package static let zero = Self(value: 0)
    static let byteCount = 16

    private init(value: UInt128) { self.value = value }

    init(_ bytes: Bytes16) {
        value = UInt128(bytes.secondHalf.number) << 64 | UInt128(bytes.firstHalf.number)
    }

    package static func += (sum: inout Self, term: Self) { sum.value &+= term.value }

    package static func -= (sum: inout Self, term: Self) { sum.value &-= term.value }

    /// The little-endian encoding of the sum.
    var bytes: Bytes16 {
        Bytes16(Bytes8(UInt64(truncatingIfNeeded: value)), Bytes8(UInt64(truncatingIfNeeded: value >> 64)))
    }
}

/// A part of the rows with its own multiset hash, so that verifying one row reads only its bucket.
package struct Bucket: Hashable, Sendable {
    package static let count = 128
    private static let bytesPerBucket = 256 / count

    package let number: Int

    /// The bucket of the rows whose primary key digest starts with this byte.
    init(_ firstDigestByte: UInt8) { number = Int(firstDigestByte) / Self.bytesPerBucket }

    private init(number: Int) { self.number = number }

    package static var all: some Sequence<Self> { (0..<count).lazy.map { Self(number: $0) } }

    /// The first bytes of the primary key digests in this bucket.
    var digestBytes: ClosedRange<UInt8> {
        let first = UInt8(clamping: number * Self.bytesPerBucket)
        return first...first + UInt8(Self.bytesPerBucket - 1)
    }
}

struct Buckets: Hashable, Sendable {
    private var bits: UInt128 = 0

    static let all: Self = {
        var all = Self()
        all.bits = .max
        return all
    }()

    func contains(_ bucket: Bucket) -> Bool { bits >> UInt128(bucket.number) & 1 != 0 }

    mutating func insert(_ bucket: Bucket) { bits |= 1 << UInt128(bucket.number) }

    mutating func remove(_ bucket: Bucket) { bits &= ~(1 << UInt128(bucket.number)) }
}

extension StoreKeys {
    /// Returns the keyed hash of a row, a term in the multiset hash of its bucket.
    ///
    /// The encrypted attributes contain the tag of the encrypted value, so the value need not be read.
    package func rowHash(of row: ItemRow) -> MultisetHash {
        unsafe ItemAssociatedData(row.columns).withBytes(.attributes, followedBy: row.attributes) {
            MultisetHash(unsafe set.digest(of: $0).truncated)
        }
    }
}
