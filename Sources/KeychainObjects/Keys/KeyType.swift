// SPDX-License-Identifier: Apache-2.0

/// What a key computes with; the number is the one that `kSecAttrKeyType` has.
package enum KeyType: Int64, CaseIterable, Sendable {
    case rsa = 42
    case ellipticCurve = 73
}

/// Which half of a pair a key is; the number is the one that `kSecAttrKeyClass` has.
package enum KeyHalf: Int64, CaseIterable, Sendable {
    case `public` = 0
    case `private` = 1
}

/// What to make when a new key is asked for.
package enum KeySpecification: Hashable, Sendable {
    case rsa(bits: Int)
    case ellipticCurve(Curve)

    /// The sizes of RSA keys that are made, in bits.
    package static let rsaSizes = 2_048...8_192

    /// The sizes of RSA keys that are read, in bits: what the library computes with.
    static let readableRSASizes = 1_024...8_192

    /// The key of a type and a size in bits.
    ///
    /// - Throws: `keySizeNotAllowed`. The library rounds the size of an RSA key down to a multiple of 128 bits;
    ///   rather than make a smaller key than asked for, other sizes are refused.
    package init(_ type: KeyType, bits: Int) throws(AsymmetricKeyError) {
        switch type {
        case .rsa:
            guard Self.rsaSizes.contains(bits), bits.isMultiple(of: 128) else { throw .keySizeNotAllowed }
            self = .rsa(bits: bits)
        case .ellipticCurve:
            guard let curve = Curve.allCases.first(where: { $0.bits == bits }) else {
                throw .keySizeNotAllowed
            }
            self = .ellipticCurve(curve)
        }
    }
}
