// SPDX-License-Identifier: Apache-2.0

import KeychainObjects

/// What ``SecKeyRawSign(_:_:_:_:_:_:)`` and its companions put around the bytes, and which digest the bytes are.
///
/// Nothing, which is `[]`, is a padding too. Deprecated on Apple's platforms: new code names a ``SecKeyAlgorithm``.
public struct SecPadding: OptionSet, Sendable {
    /// The number that Apple's headers give to the padding.
    public let rawValue: UInt32

    /// A padding by its number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// PKCS#1: for a signature by RSA of bytes of any kind, for one on a curve of a digest.
    public static let PKCS1 = Self(rawValue: 0x1)
    /// OAEP with SHA-1: for encryption.
    public static let OAEP = Self(rawValue: 0x2)
    /// The two numbers of a signature on a curve by themselves, not in DER.
    public static let sigRaw = Self(rawValue: 0x4000)
    /// A digest of MD2; never taken.
    public static let PKCS1MD2 = Self(rawValue: 0x8000)
    /// A digest of MD5; never taken.
    public static let PKCS1MD5 = Self(rawValue: 0x8001)
    /// A digest of SHA-1.
    public static let PKCS1SHA1 = Self(rawValue: 0x8002)
    /// A digest of SHA-224.
    public static let PKCS1SHA224 = Self(rawValue: 0x8003)
    /// A digest of SHA-256.
    public static let PKCS1SHA256 = Self(rawValue: 0x8004)
    /// A digest of SHA-384.
    public static let PKCS1SHA384 = Self(rawValue: 0x8005)
    /// A digest of SHA-512.
    public static let PKCS1SHA512 = Self(rawValue: 0x8006)
}

extension SecPadding {
    /// The algorithm of a signature with a key of a type; `nil` where none is meant.
    ///
    /// On a curve every padding but ``sigRaw`` means the same. Source: Apple's published Security sources.
    func signature(with type: KeyType, ofBytes count: Int) -> SecKeyAlgorithm? {
        switch type {
        case .rsa: Self.signatures[rawValue]
        case .ellipticCurve:
            switch self {
            case .sigRaw: .ecdsaSignatureRFC4754
            case .PKCS1: Self.digests[count] ?? .ecdsaSignatureDigestX962
            default: .ecdsaSignatureDigestX962
            }
        }
    }

    /// The algorithm of an encryption; `nil` where none is meant.
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

    /// By the size of the digest in bytes.
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
