// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainObjects

/// What the user has forgiven of one certificate.
///
/// As bytes: the number of the format, a bit for each refusal, and the certificate itself, so that it fits no other.
struct TrustExceptions: Hashable, Sendable {
    let leaf: Data
    let refusals: Set<TrustRefusal>

    private static let format: UInt8 = 1

    // The bits are in what programs keep: a new refusal takes the next one.
    private static let bits: [(refusal: TrustRefusal, bit: UInt8)] = [
        (.noWay, 1 << 0), (.otherName, 1 << 1), (.otherPurpose, 1 << 2), (.expired, 1 << 3),
        (.notYetValid, 1 << 4), (.unknownRevocation, 1 << 5),
    ]

    init(leaf: Data, refusals: Set<TrustRefusal>) {
        self.leaf = leaf
        self.refusals = refusals
    }

    /// Reads the bytes; `nil` if they say anything that is not known.
    init?(_ bytes: Data) {
        var rest = bytes
        guard rest.popFirst() == Self.format, var mask = rest.popFirst(), !rest.isEmpty else { return nil }
        var refusals: Set<TrustRefusal> = []
        for row in Self.bits where mask & row.bit != 0 {
            refusals.insert(row.refusal)
            mask &= ~row.bit
        }
        guard mask == 0 else { return nil }
        self.init(leaf: Data(rest), refusals: refusals)
    }

    var bytes: Data {
        let mask = Self.bits.reduce(0) { refusals.contains($1.refusal) ? $0 | $1.bit : $0 }
        return Data([Self.format, mask]) + leaf
    }

    /// Whether nothing is against the certificate that was not forgiven.
    func forgive(_ found: Set<TrustRefusal>) -> Bool { found.isSubset(of: refusals) }
}
