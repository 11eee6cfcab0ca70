// SPDX-License-Identifier: Apache-2.0

// Differs: calls with an algorithm marked "not implemented" fail with `errSecUnimplemented`;
// `Documentation/Keys.md` gives the reasons.

// MARK: RSA signatures

extension SecKeyAlgorithm {
    /// RSA signature of a raw block without padding; not implemented.
    public static let rsaSignatureRaw = Self(named: "algid:sign:RSA:raw")
    /// RSA signature of a digest of unspecified type, with PKCS#1 v1.5 padding; not implemented.
    public static let rsaSignatureDigestPKCS1v15Raw = Self(named: "algid:sign:RSA:digest-PKCS1v15")
    /// RSA signature of a SHA-1 digest, with PKCS#1 v1.5 padding.
    public static let rsaSignatureDigestPKCS1v15SHA1 = Self(named: "algid:sign:RSA:digest-PKCS1v15:SHA1")
    /// RSA signature of a SHA-224 digest, with PKCS#1 v1.5 padding; not implemented.
    public static let rsaSignatureDigestPKCS1v15SHA224 = Self(named: "algid:sign:RSA:digest-PKCS1v15:SHA224")
    /// RSA signature of a SHA-256 digest, with PKCS#1 v1.5 padding.
    public static let rsaSignatureDigestPKCS1v15SHA256 = Self(named: "algid:sign:RSA:digest-PKCS1v15:SHA256")
    /// RSA signature of a SHA-384 digest, with PKCS#1 v1.5 padding.
    public static let rsaSignatureDigestPKCS1v15SHA384 = Self(named: "algid:sign:RSA:digest-PKCS1v15:SHA384")
    /// RSA signature of a SHA-512 digest, with PKCS#1 v1.5 padding.
    public static let rsaSignatureDigestPKCS1v15SHA512 = Self(named: "algid:sign:RSA:digest-PKCS1v15:SHA512")
    /// RSA signature of a SHA-1 digest, with PSS padding.
    public static let rsaSignatureDigestPSSSHA1 = Self(named: "algid:sign:RSA:digest-PSS:SHA1:SHA1:20")
    /// RSA signature of a SHA-224 digest, with PSS padding; not implemented.
    public static let rsaSignatureDigestPSSSHA224 = Self(named: "algid:sign:RSA:digest-PSS:SHA224:SHA224:24")
    /// RSA signature of a SHA-256 digest, with PSS padding.
    public static let rsaSignatureDigestPSSSHA256 = Self(named: "algid:sign:RSA:digest-PSS:SHA256:SHA256:32")
    /// RSA signature of a SHA-384 digest, with PSS padding.
    public static let rsaSignatureDigestPSSSHA384 = Self(named: "algid:sign:RSA:digest-PSS:SHA384:SHA384:48")
    /// RSA signature of a SHA-512 digest, with PSS padding.
    public static let rsaSignatureDigestPSSSHA512 = Self(named: "algid:sign:RSA:digest-PSS:SHA512:SHA512:64")
    /// RSA signature of a message, with SHA-1 and PKCS#1 v1.5 padding.
    public static let rsaSignatureMessagePKCS1v15SHA1 = Self(named: "algid:sign:RSA:message-PKCS1v15:SHA1")
    /// RSA signature of a message, with SHA-224 and PKCS#1 v1.5 padding; not implemented.
    public static let rsaSignatureMessagePKCS1v15SHA224 = Self(
        named: "algid:sign:RSA:message-PKCS1v15:SHA224"
    )
    /// RSA signature of a message, with SHA-256 and PKCS#1 v1.5 padding.
    public static let rsaSignatureMessagePKCS1v15SHA256 = Self(
        named: "algid:sign:RSA:message-PKCS1v15:SHA256"
    )
    /// RSA signature of a message, with SHA-384 and PKCS#1 v1.5 padding.
    public static let rsaSignatureMessagePKCS1v15SHA384 = Self(
        named: "algid:sign:RSA:message-PKCS1v15:SHA384"
    )
    /// RSA signature of a message, with SHA-512 and PKCS#1 v1.5 padding.
    public static let rsaSignatureMessagePKCS1v15SHA512 = Self(
        named: "algid:sign:RSA:message-PKCS1v15:SHA512"
    )
    /// RSA signature of a message, with SHA-1 and PSS padding.
    public static let rsaSignatureMessagePSSSHA1 = Self(named: "algid:sign:RSA:message-PSS:SHA1:SHA1:20")
    /// RSA signature of a message, with SHA-224 and PSS padding; not implemented.
    public static let rsaSignatureMessagePSSSHA224 = Self(
        named: "algid:sign:RSA:message-PSS:SHA224:SHA224:24"
    )
    /// RSA signature of a message, with SHA-256 and PSS padding.
    public static let rsaSignatureMessagePSSSHA256 = Self(
        named: "algid:sign:RSA:message-PSS:SHA256:SHA256:32"
    )
    /// RSA signature of a message, with SHA-384 and PSS padding.
    public static let rsaSignatureMessagePSSSHA384 = Self(
        named: "algid:sign:RSA:message-PSS:SHA384:SHA384:48"
    )
    /// RSA signature of a message, with SHA-512 and PSS padding.
    public static let rsaSignatureMessagePSSSHA512 = Self(
        named: "algid:sign:RSA:message-PSS:SHA512:SHA512:64"
    )
}

// MARK: Elliptic-curve signatures

extension SecKeyAlgorithm {
    /// Deprecated name of the algorithm ``ecdsaSignatureDigestRFC4754``; the raw values differ.
    public static let ecdsaSignatureRFC4754 = Self(named: "algid:sign:ECDSA:RFC4754")
    /// ECDSA signature of a digest, in DER.
    public static let ecdsaSignatureDigestX962 = Self(named: "algid:sign:ECDSA:digest-X962")
    /// ECDSA signature of a SHA-1 digest, in DER.
    public static let ecdsaSignatureDigestX962SHA1 = Self(named: "algid:sign:ECDSA:digest-X962:SHA1")
    /// ECDSA signature of a SHA-224 digest, in DER.
    public static let ecdsaSignatureDigestX962SHA224 = Self(named: "algid:sign:ECDSA:digest-X962:SHA224")
    /// ECDSA signature of a SHA-256 digest, in DER.
    public static let ecdsaSignatureDigestX962SHA256 = Self(named: "algid:sign:ECDSA:digest-X962:SHA256")
    /// ECDSA signature of a SHA-384 digest, in DER.
    public static let ecdsaSignatureDigestX962SHA384 = Self(named: "algid:sign:ECDSA:digest-X962:SHA384")
    /// ECDSA signature of a SHA-512 digest, in DER.
    public static let ecdsaSignatureDigestX962SHA512 = Self(named: "algid:sign:ECDSA:digest-X962:SHA512")
    /// ECDSA signature of a message with SHA-1, in DER.
    public static let ecdsaSignatureMessageX962SHA1 = Self(named: "algid:sign:ECDSA:message-X962:SHA1")
    /// ECDSA signature of a message with SHA-224, in DER; not implemented.
    public static let ecdsaSignatureMessageX962SHA224 = Self(named: "algid:sign:ECDSA:message-X962:SHA224")
    /// ECDSA signature of a message with SHA-256, in DER.
    public static let ecdsaSignatureMessageX962SHA256 = Self(named: "algid:sign:ECDSA:message-X962:SHA256")
    /// ECDSA signature of a message with SHA-384, in DER.
    public static let ecdsaSignatureMessageX962SHA384 = Self(named: "algid:sign:ECDSA:message-X962:SHA384")
    /// ECDSA signature of a message with SHA-512, in DER.
    public static let ecdsaSignatureMessageX962SHA512 = Self(named: "algid:sign:ECDSA:message-X962:SHA512")
    /// ECDSA signature of a digest, as concatenated r and s.
    public static let ecdsaSignatureDigestRFC4754 = Self(named: "algid:sign:ECDSA:digest-RFC4754")
    /// ECDSA signature of a SHA-1 digest, as concatenated r and s.
    public static let ecdsaSignatureDigestRFC4754SHA1 = Self(named: "algid:sign:ECDSA:digest-RFC4754:SHA1")
    /// ECDSA signature of a SHA-224 digest, as concatenated r and s.
    public static let ecdsaSignatureDigestRFC4754SHA224 = Self(
        named: "algid:sign:ECDSA:digest-RFC4754:SHA224"
    )
    /// ECDSA signature of a SHA-256 digest, as concatenated r and s.
    public static let ecdsaSignatureDigestRFC4754SHA256 = Self(
        named: "algid:sign:ECDSA:digest-RFC4754:SHA256"
    )
    /// ECDSA signature of a SHA-384 digest, as concatenated r and s.
    public static let ecdsaSignatureDigestRFC4754SHA384 = Self(
        named: "algid:sign:ECDSA:digest-RFC4754:SHA384"
    )
    /// ECDSA signature of a SHA-512 digest, as concatenated r and s.
    public static let ecdsaSignatureDigestRFC4754SHA512 = Self(
        named: "algid:sign:ECDSA:digest-RFC4754:SHA512"
    )
    /// ECDSA signature of a message with SHA-1, as concatenated r and s.
    public static let ecdsaSignatureMessageRFC4754SHA1 = Self(named: "algid:sign:ECDSA:message-RFC4754:SHA1")
    /// ECDSA signature of a message with SHA-224, as concatenated r and s; not implemented.
    public static let ecdsaSignatureMessageRFC4754SHA224 = Self(
        named: "algid:sign:ECDSA:message-RFC4754:SHA224"
    )
    /// ECDSA signature of a message with SHA-256, as concatenated r and s.
    public static let ecdsaSignatureMessageRFC4754SHA256 = Self(
        named: "algid:sign:ECDSA:message-RFC4754:SHA256"
    )
    /// ECDSA signature of a message with SHA-384, as concatenated r and s.
    public static let ecdsaSignatureMessageRFC4754SHA384 = Self(
        named: "algid:sign:ECDSA:message-RFC4754:SHA384"
    )
    /// ECDSA signature of a message with SHA-512, as concatenated r and s.
    public static let ecdsaSignatureMessageRFC4754SHA512 = Self(
        named: "algid:sign:ECDSA:message-RFC4754:SHA512"
    )
}

// MARK: RSA encryption

extension SecKeyAlgorithm {
    /// RSA encryption without padding; not implemented.
    public static let rsaEncryptionRaw = Self(named: "algid:encrypt:RSA:raw")
    /// RSA encryption with PKCS#1 v1.5 padding, which is weak.
    public static let rsaEncryptionPKCS1 = Self(named: "algid:encrypt:RSA:PKCS1")
    /// RSA encryption with OAEP padding and SHA-1.
    public static let rsaEncryptionOAEPSHA1 = Self(named: "algid:encrypt:RSA:OAEP:SHA1")
    /// RSA encryption with OAEP padding and SHA-224; not implemented.
    public static let rsaEncryptionOAEPSHA224 = Self(named: "algid:encrypt:RSA:OAEP:SHA224")
    /// RSA encryption with OAEP padding and SHA-256.
    public static let rsaEncryptionOAEPSHA256 = Self(named: "algid:encrypt:RSA:OAEP:SHA256")
    /// RSA encryption with OAEP padding and SHA-384; not implemented.
    public static let rsaEncryptionOAEPSHA384 = Self(named: "algid:encrypt:RSA:OAEP:SHA384")
    /// RSA encryption with OAEP padding and SHA-512; not implemented.
    public static let rsaEncryptionOAEPSHA512 = Self(named: "algid:encrypt:RSA:OAEP:SHA512")
    /// AES-GCM with a random key that is encrypted with RSA-OAEP and SHA-1.
    public static let rsaEncryptionOAEPSHA1AESGCM = Self(named: "algid:encrypt:RSA:OAEP:SHA1:AESGCM")
    /// AES-GCM with a random key that is encrypted with RSA-OAEP and SHA-224; not implemented.
    public static let rsaEncryptionOAEPSHA224AESGCM = Self(named: "algid:encrypt:RSA:OAEP:SHA224:AESGCM")
    /// AES-GCM with a random key that is encrypted with RSA-OAEP and SHA-256.
    public static let rsaEncryptionOAEPSHA256AESGCM = Self(named: "algid:encrypt:RSA:OAEP:SHA256:AESGCM")
    /// AES-GCM with a random key that is encrypted with RSA-OAEP and SHA-384; not implemented.
    public static let rsaEncryptionOAEPSHA384AESGCM = Self(named: "algid:encrypt:RSA:OAEP:SHA384:AESGCM")
    /// AES-GCM with a random key that is encrypted with RSA-OAEP and SHA-512; not implemented.
    public static let rsaEncryptionOAEPSHA512AESGCM = Self(named: "algid:encrypt:RSA:OAEP:SHA512:AESGCM")
}

// MARK: Elliptic-curve encryption

extension SecKeyAlgorithm {
    /// ECIES: X9.63 KDF with SHA-1, AES-GCM with a zero nonce.
    public static let eciesEncryptionStandardX963SHA1AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM"
    )
    /// ECIES: X9.63 KDF with SHA-224, AES-GCM with a zero nonce; not implemented.
    public static let eciesEncryptionStandardX963SHA224AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM"
    )
    /// ECIES: X9.63 KDF with SHA-256, AES-GCM with a zero nonce.
    public static let eciesEncryptionStandardX963SHA256AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM"
    )
    /// ECIES: X9.63 KDF with SHA-384, AES-GCM with a zero nonce.
    public static let eciesEncryptionStandardX963SHA384AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM"
    )
    /// ECIES: X9.63 KDF with SHA-512, AES-GCM with a zero nonce.
    public static let eciesEncryptionStandardX963SHA512AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM"
    )
    /// Cofactor ECIES: X9.63 KDF with SHA-1, AES-GCM with a zero nonce.
    public static let eciesEncryptionCofactorX963SHA1AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM"
    )
    /// Cofactor ECIES: X9.63 KDF with SHA-224, AES-GCM with a zero nonce; not implemented.
    public static let eciesEncryptionCofactorX963SHA224AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM"
    )
    /// Cofactor ECIES: X9.63 KDF with SHA-256, AES-GCM with a zero nonce.
    public static let eciesEncryptionCofactorX963SHA256AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM"
    )
    /// Cofactor ECIES: X9.63 KDF with SHA-384, AES-GCM with a zero nonce.
    public static let eciesEncryptionCofactorX963SHA384AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM"
    )
    /// Cofactor ECIES: X9.63 KDF with SHA-512, AES-GCM with a zero nonce.
    public static let eciesEncryptionCofactorX963SHA512AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM"
    )
    /// ECIES: X9.63 KDF with SHA-224, AES-GCM with a derived nonce; not implemented.
    public static let eciesEncryptionStandardVariableIVX963SHA224AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV"
    )
    /// ECIES: X9.63 KDF with SHA-256, AES-GCM with a derived nonce.
    public static let eciesEncryptionStandardVariableIVX963SHA256AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV"
    )
    /// ECIES: X9.63 KDF with SHA-384, AES-GCM with a derived nonce.
    public static let eciesEncryptionStandardVariableIVX963SHA384AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV"
    )
    /// ECIES: X9.63 KDF with SHA-512, AES-GCM with a derived nonce.
    public static let eciesEncryptionStandardVariableIVX963SHA512AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV"
    )
    /// Cofactor ECIES: X9.63 KDF with SHA-224, AES-GCM with a derived nonce; not implemented.
    public static let eciesEncryptionCofactorVariableIVX963SHA224AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV"
    )
    /// Cofactor ECIES: X9.63 KDF with SHA-256, AES-GCM with a derived nonce.
    public static let eciesEncryptionCofactorVariableIVX963SHA256AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV"
    )
    /// Cofactor ECIES: X9.63 KDF with SHA-384, AES-GCM with a derived nonce.
    public static let eciesEncryptionCofactorVariableIVX963SHA384AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV"
    )
    /// Cofactor ECIES: X9.63 KDF with SHA-512, AES-GCM with a derived nonce.
    public static let eciesEncryptionCofactorVariableIVX963SHA512AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV"
    )
}

// MARK: Key agreement

extension SecKeyAlgorithm {
    /// ECDH, returning the raw shared secret.
    public static let ecdhKeyExchangeStandard = Self(named: "algid:keyexchange:ECDH")
    /// ECDH with the X9.63 KDF and SHA-1.
    public static let ecdhKeyExchangeStandardX963SHA1 = Self(named: "algid:keyexchange:ECDH:KDFX963:SHA1")
    /// ECDH with the X9.63 KDF and SHA-224; not implemented.
    public static let ecdhKeyExchangeStandardX963SHA224 = Self(named: "algid:keyexchange:ECDH:KDFX963:SHA224")
    /// ECDH with the X9.63 KDF and SHA-256.
    public static let ecdhKeyExchangeStandardX963SHA256 = Self(named: "algid:keyexchange:ECDH:KDFX963:SHA256")
    /// ECDH with the X9.63 KDF and SHA-384.
    public static let ecdhKeyExchangeStandardX963SHA384 = Self(named: "algid:keyexchange:ECDH:KDFX963:SHA384")
    /// ECDH with the X9.63 KDF and SHA-512.
    public static let ecdhKeyExchangeStandardX963SHA512 = Self(named: "algid:keyexchange:ECDH:KDFX963:SHA512")
    /// Cofactor ECDH, returning the raw shared secret.
    public static let ecdhKeyExchangeCofactor = Self(named: "algid:keyexchange:ECDHC")
    /// Cofactor ECDH with the X9.63 KDF and SHA-1.
    public static let ecdhKeyExchangeCofactorX963SHA1 = Self(named: "algid:keyexchange:ECDHC:KDFX963:SHA1")
    /// Cofactor ECDH with the X9.63 KDF and SHA-224; not implemented.
    public static let ecdhKeyExchangeCofactorX963SHA224 = Self(
        named: "algid:keyexchange:ECDHC:KDFX963:SHA224"
    )
    /// Cofactor ECDH with the X9.63 KDF and SHA-256.
    public static let ecdhKeyExchangeCofactorX963SHA256 = Self(
        named: "algid:keyexchange:ECDHC:KDFX963:SHA256"
    )
    /// Cofactor ECDH with the X9.63 KDF and SHA-384.
    public static let ecdhKeyExchangeCofactorX963SHA384 = Self(
        named: "algid:keyexchange:ECDHC:KDFX963:SHA384"
    )
    /// Cofactor ECDH with the X9.63 KDF and SHA-512.
    public static let ecdhKeyExchangeCofactorX963SHA512 = Self(
        named: "algid:keyexchange:ECDHC:KDFX963:SHA512"
    )
}
