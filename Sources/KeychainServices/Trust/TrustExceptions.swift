// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainObjects

/// The failures of one certificate that the user accepted.
///
/// The encoding is a version byte, a byte with a bit for each failure, and the certificate in DER, so that
/// exceptions apply to no other certificate.
struct TrustExceptions: Hashable, Sendable {
    let leaf: Data
    let failures: Set<TrustFailure>

    private static let format: UInt8 = 1

    // Programs store these bits, so a new failure must use the next free bit.
    private static let bits: [(failure: TrustFailure, bit: UInt8)] = [
        (.noTrustedChain, 1 << 0), (.nameMismatch, 1 << 1), (.purposeMismatch, 1 << 2), (.expired, 1 << 3),
        (.notYetValid, 1 << 4), (.revocationUnknown, 1 << 5),
    ]

    init(leaf: Data, failures: Set<TrustFailure>) {
        self.leaf = leaf
        self.failures = failures
    }

    /// Decodes exceptions; `nil` for an unknown version, an unknown bit or a missing certificate.
    init?(_ bytes: Data) {
        var rest = bytes
        guard rest.popFirst() == Self.format, var mask = rest.popFirst(), !rest.isEmpty else { return nil }
        var failures: Set<TrustFailure> = []
        for row in Self.bits where mask & row.bit != 0 {
            failures.insert(row.failure)
            mask &= ~row.bit
        }
        guard mask == 0 else { return nil }
        self.init(leaf: Data(rest), failures: failures)
    }

    var bytes: Data {
        let mask = Self.bits.reduce(0) { failures.contains($1.failure) ? $0 | $1.bit : $0 }
        return Data([Self.format, mask]) + leaf
    }

    /// Returns whether the exceptions cover all failures that were found.
    func forgive(_ found: Set<TrustFailure>) -> Bool { found.isSubset(of: failures) }
}
