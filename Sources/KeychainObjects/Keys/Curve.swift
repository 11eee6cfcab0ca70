// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
import FoundationEssentials
import SwiftASN1
#endif

/// The supported NIST curves over prime fields.
package enum Curve: CaseIterable, Sendable {
    case p256
    case p384
    case p521

    /// The size of the field in bits.
    package var bits: Int {
        switch self {
        case .p256: 256
        case .p384: 384
        case .p521: 521
        }
    }

    /// The size of a coordinate or scalar in bytes.
    package var coordinateByteCount: Int { (bits + 7) / 8 }

    /// The size of an uncompressed point in bytes: the byte 4, then the coordinates x and y.
    package var pointByteCount: Int { 1 + 2 * coordinateByteCount }

    /// The size in bytes of an uncompressed point followed by its scalar.
    package var pairByteCount: Int { 1 + 3 * coordinateByteCount }
}

#if Objects
extension Curve {
    var objectIdentifier: ASN1ObjectIdentifier {
        switch self {
        case .p256: [1, 2, 840, 10_045, 3, 1, 7]
        case .p384: [1, 3, 132, 0, 34]
        case .p521: [1, 3, 132, 0, 35]
        }
    }

    var openSSHName: String { "nistp\(bits)" }

    var privateKey: any CurvePrivateKey.Type {
        switch self {
        case .p256: P256.Signing.PrivateKey.self
        case .p384: P384.Signing.PrivateKey.self
        case .p521: P521.Signing.PrivateKey.self
        }
    }

    var publicKey: any CurvePublicKey.Type {
        switch self {
        case .p256: P256.Signing.PublicKey.self
        case .p384: P384.Signing.PublicKey.self
        case .p521: P521.Signing.PublicKey.self
        }
    }
}
#endif
