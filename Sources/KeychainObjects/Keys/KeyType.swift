// SPDX-License-Identifier: Apache-2.0

/// The type of a key.
///
/// Raw values are those of `kSecAttrKeyType`.
package enum KeyType: Int64, CaseIterable, Sendable {
    case rsa = 42
    case ellipticCurve = 73
    /// Ed25519 (RFC 8032), for signatures only.
    case ed25519 = 105
}

/// The public or the private key of a pair.
///
/// Raw values are those of `kSecAttrKeyClass`.
package enum KeyHalf: Int64, CaseIterable, Sendable {
    case `public` = 0
    case `private` = 1
}

extension AsymmetricKey {
    package static let ed25519Bits = 256
}

package enum KeySpecification: Hashable, Sendable {
    case rsa(bits: Int)
    case ellipticCurve(Curve)
    case ed25519

    /// The RSA key sizes that can be generated, in bits.
    package static let rsaSizes = 2_048...8_192

    /// The RSA key sizes that can be imported, in bits: those CryptoExtras supports.
    static let readableRSASizes = 1_024...8_192

    /// Creates a specification from a type and a size in bits.
    ///
    /// - Throws: `keySizeNotAllowed` for an unsupported size. For RSA, this includes sizes that are not a
    ///   multiple of 128 bits, which CryptoExtras would round down.
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
        case .ed25519:
            guard bits == AsymmetricKey.ed25519Bits else { throw .keySizeNotAllowed }
            self = .ed25519
        }
    }
}
