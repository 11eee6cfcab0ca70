// SPDX-License-Identifier: Apache-2.0

import KeychainObjects

/// The padding and digest type for ``SecKeyRawSign(_:_:_:_:_:_:)`` and related functions.
///
/// The empty set stands for no padding, which is not implemented for RSA keys. Deprecated by Apple: use
/// ``SecKeyAlgorithm`` in new code.
public struct SecPadding: OptionSet, Sendable {
    /// The raw bits of the padding, with the same values as on Apple's platforms.
    public let rawValue: UInt32

    /// Creates a padding from its raw value.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// PKCS#1 padding for RSA encryption, or ECDSA of a digest; RSA signatures of arbitrary bytes are not implemented.
    public static let PKCS1 = Self(rawValue: 0x1)
    /// OAEP with SHA-1, for encryption.
    public static let OAEP = Self(rawValue: 0x2)
    /// An ECDSA signature as concatenated r and s, not DER.
    public static let sigRaw = Self(rawValue: 0x4000)
    /// PKCS#1 padding of an MD2 digest; never accepted for RSA keys.
    public static let PKCS1MD2 = Self(rawValue: 0x8000)
    /// PKCS#1 padding of an MD5 digest; never accepted for RSA keys.
    public static let PKCS1MD5 = Self(rawValue: 0x8001)
    /// PKCS#1 padding of a SHA-1 digest.
    public static let PKCS1SHA1 = Self(rawValue: 0x8002)
    /// PKCS#1 padding of a SHA-224 digest; not implemented for RSA keys.
    public static let PKCS1SHA224 = Self(rawValue: 0x8003)
    /// PKCS#1 padding of a SHA-256 digest.
    public static let PKCS1SHA256 = Self(rawValue: 0x8004)
    /// PKCS#1 padding of a SHA-384 digest.
    public static let PKCS1SHA384 = Self(rawValue: 0x8005)
    /// PKCS#1 padding of a SHA-512 digest.
    public static let PKCS1SHA512 = Self(rawValue: 0x8006)
}

extension SecPadding {
    /// Returns the signature algorithm of the padding for a key type; `nil` if the type does not allow it.
    ///
    /// `count` is the length of the signed data. For elliptic curves, the signed data is a digest: ``sigRaw``
    /// selects a signature as concatenated r and s, every other padding a signature in DER. With ``PKCS1``, the
    /// length of the digest selects the hash function. Source: Apple's published Security sources.
    func signature(with type: KeyType, ofBytes count: Int) -> SecKeyAlgorithm? {
        switch type {
        case .rsa: Self.signatures[rawValue]
        case .ellipticCurve:
            switch self {
            case .sigRaw: .ecdsaSignatureRFC4754
            case .PKCS1: Self.digests[count] ?? .ecdsaSignatureDigestX962
            default: .ecdsaSignatureDigestX962
            }
        case .ed25519: nil
        }
    }

    func encryption(with type: KeyType) -> SecKeyAlgorithm? {
        type == .rsa ? Self.encryptions[rawValue] : nil
    }

    private static let signatures: [UInt32: SecKeyAlgorithm] = [
        0: .rsaSignatureRaw,
        PKCS1.rawValue: .rsaSignatureDigestPKCS1v15Raw,
        PKCS1SHA1.rawValue: .rsaSignatureDigestPKCS1v15SHA1,
        PKCS1SHA224.rawValue: .rsaSignatureDigestPKCS1v15SHA224,
        PKCS1SHA256.rawValue: .rsaSignatureDigestPKCS1v15SHA256,
        PKCS1SHA384.rawValue: .rsaSignatureDigestPKCS1v15SHA384,
        PKCS1SHA512.rawValue: .rsaSignatureDigestPKCS1v15SHA512,
    ]

    /// The ECDSA signature algorithms by digest size in bytes.
    private static let digests: [Int: SecKeyAlgorithm] = [
        20: .ecdsaSignatureDigestX962SHA1,
        28: .ecdsaSignatureDigestX962SHA224,
        32: .ecdsaSignatureDigestX962SHA256,
        48: .ecdsaSignatureDigestX962SHA384,
        64: .ecdsaSignatureDigestX962SHA512,
    ]

    private static let encryptions: [UInt32: SecKeyAlgorithm] = [
        0: .rsaEncryptionRaw,
        PKCS1.rawValue: .rsaEncryptionPKCS1,
        OAEP.rawValue: .rsaEncryptionOAEPSHA1,
    ]
}
