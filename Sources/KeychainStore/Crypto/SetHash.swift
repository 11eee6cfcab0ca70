// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The sum, modulo 2^256, of the keyed hashes of a set of rows.
///
/// A row more, a row less or a row of another time changes the sum; without the key nobody can make up for it.
package struct SetSum: Hashable, Sendable {
    private var limbs: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    package static let zero = Self()
    static let byteCount = 32

    private init() {}

    private init(_ bytes: UnsafeRawBufferPointer) {
        unsafe limbs.0 = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        unsafe limbs.1 = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        unsafe limbs.2 = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
        unsafe limbs.3 = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self))
    }

    init(_ bytes: Bytes32) { self = unsafe bytes.withBytes { unsafe Self($0) } }

    package static func == (left: Self, right: Self) -> Bool { left.limbs == right.limbs }

    package func hash(into hasher: inout Hasher) { hasher.combine(limbs.0) }

    package static func += (sum: inout Self, term: Self) {
        var carry: UInt64 = 0
        func add(_ left: UInt64, _ right: UInt64) -> UInt64 {
            let (partial, first) = left.addingReportingOverflow(right)
            let (total, second) = partial.addingReportingOverflow(carry)
            carry = (first || second) ? 1 : 0
            return total
        }
        sum.limbs.0 = add(sum.limbs.0, term.limbs.0)
        sum.limbs.1 = add(sum.limbs.1, term.limbs.1)
        sum.limbs.2 = add(sum.limbs.2, term.limbs.2)
        sum.limbs.3 = add(sum.limbs.3, term.limbs.3)
    }

    package static func -= (sum: inout Self, term: Self) {
        // Subtraction is addition of the two's complement.
        var complement = Self()
        complement.limbs = (~term.limbs.0, ~term.limbs.1, ~term.limbs.2, ~term.limbs.3)
        var one = Self()
        one.limbs.0 = 1
        complement += one
        sum += complement
    }

    /// The sum as it stands on disk, little-endian.
    var bytes: [UInt8] {
        let words = (
            limbs.0.littleEndian, limbs.1.littleEndian, limbs.2.littleEndian, limbs.3.littleEndian
        )
        return unsafe withUnsafeBytes(of: words) { unsafe Array($0) }
    }

    fileprivate init?(_ reader: inout ByteReader) {
        guard let bytes = unsafe reader.take(Self.byteCount) else { return nil }
        unsafe self.init(bytes)
    }
}

extension StoreKeys {
    /// What a row adds to the sum of its bucket.
    ///
    /// The sealed attributes carry the tag of the sealed value, so the value itself need not be read here.
    package func setHash(of row: ItemRow) -> SetSum {
        SetSum(set.digest(of: ItemAssociatedData(row.columns)(.attributes) + row.attributes))
    }
}

/// One of the sixteen pages that hold the sums of 16 buckets each; a row's bucket is the first byte of its identity.
package struct BucketPage: Hashable, Sendable {
    package static let count = 16
    private static let bucketsPerPage = 16

    private var sums = [SetSum](repeating: .zero, count: bucketsPerPage)

    package init() {}

    /// The page of a bucket.
    package static func number(of bucket: UInt8) -> Int { Int(bucket) / bucketsPerPage }

    /// The sum of a bucket that is on this page.
    package subscript(bucket: UInt8) -> SetSum {
        get { sums[Int(bucket) % Self.bucketsPerPage] }
        set { sums[Int(bucket) % Self.bucketsPerPage] = newValue }
    }

    private static func associatedData(_ number: Int) -> [UInt8] {
        Array("buckets".utf8) + [UInt8(clamping: number)]
    }

    package func sealed(as number: Int, with keys: StoreKeys) -> [UInt8] {
        var plain = ByteWriter(capacity: Self.bucketsPerPage * SetSum.byteCount)
        for sum in sums { plain.append(sum.bytes) }
        return Sealing.seal(plain.bytes, under: keys.header, associatedData: Self.associatedData(number))
    }

    package init(opening box: [UInt8], as number: Int, with keys: StoreKeys) throws(StatusError) {
        let plain = try Sealing.open(
            box,
            under: keys.header,
            associatedData: Self.associatedData(number),
            orThrow: .setHashMismatch
        )
        let sums = unsafe plain.withUnsafeBytes { buffer in
            var reader = unsafe ByteReader(buffer)
            return (0..<Self.bucketsPerPage).compactMap { _ in SetSum(&reader) }
        }
        guard sums.count == Self.bucketsPerPage else { throw StatusError(.undecodable, .setHashMismatch) }
        self.sums = sums
    }
}
