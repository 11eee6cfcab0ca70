// SPDX-License-Identifier: Apache-2.0

// Differs: those that are "not offered" answer `errSecUnimplemented`; `Documentation/Keys.md` says why.

// MARK: Signatures by RSA

extension SecKeyAlgorithm {
    /// An RSA signature without padding of a block; not offered.
    public static let rsaSignatureRaw = Self(named: "algid:sign:RSA:raw")
    /// An RSA signature with PKCS#1 v1.5 padding of a digest that does not say its hash; not offered.
    public static let rsaSignatureDigestPKCS1v15Raw = Self(named: "algid:sign:RSA:digest-PKCS1v15")
    /// An RSA signature with PKCS#1 v1.5 padding of a SHA-1 digest.
    public static let rsaSignatureDigestPKCS1v15SHA1 = Self(named: "algid:sign:RSA:digest-PKCS1v15:SHA1")
    /// An RSA signature with PKCS#1 v1.5 padding of a SHA-224 digest; not offered.
    public static let rsaSignatureDigestPKCS1v15SHA224 = Self(named: "algid:sign:RSA:digest-PKCS1v15:SHA224")
    /// An RSA signature with PKCS#1 v1.5 padding of a SHA-256 digest.
    public static let rsaSignatureDigestPKCS1v15SHA256 = Self(named: "algid:sign:RSA:digest-PKCS1v15:SHA256")
    /// An RSA signature with PKCS#1 v1.5 padding of a SHA-384 digest.
    public static let rsaSignatureDigestPKCS1v15SHA384 = Self(named: "algid:sign:RSA:digest-PKCS1v15:SHA384")
    /// An RSA signature with PKCS#1 v1.5 padding of a SHA-512 digest.
    public static let rsaSignatureDigestPKCS1v15SHA512 = Self(named: "algid:sign:RSA:digest-PKCS1v15:SHA512")
    /// An RSA signature with PSS padding of a SHA-1 digest.
    public static let rsaSignatureDigestPSSSHA1 = Self(named: "algid:sign:RSA:digest-PSS:SHA1:SHA1:20")
    /// An RSA signature with PSS padding of a SHA-224 digest; not offered.
    public static let rsaSignatureDigestPSSSHA224 = Self(named: "algid:sign:RSA:digest-PSS:SHA224:SHA224:24")
    /// An RSA signature with PSS padding of a SHA-256 digest.
    public static let rsaSignatureDigestPSSSHA256 = Self(named: "algid:sign:RSA:digest-PSS:SHA256:SHA256:32")
    /// An RSA signature with PSS padding of a SHA-384 digest.
    public static let rsaSignatureDigestPSSSHA384 = Self(named: "algid:sign:RSA:digest-PSS:SHA384:SHA384:48")
    /// An RSA signature with PSS padding of a SHA-512 digest.
    public static let rsaSignatureDigestPSSSHA512 = Self(named: "algid:sign:RSA:digest-PSS:SHA512:SHA512:64")
    /// An RSA signature with PKCS#1 v1.5 padding of a message by its SHA-1 digest.
    public static let rsaSignatureMessagePKCS1v15SHA1 = Self(named: "algid:sign:RSA:message-PKCS1v15:SHA1")
    /// An RSA signature with PKCS#1 v1.5 padding of a message by its SHA-224 digest; not offered.
    public static let rsaSignatureMessagePKCS1v15SHA224 = Self(
        named: "algid:sign:RSA:message-PKCS1v15:SHA224"
    )
    /// An RSA signature with PKCS#1 v1.5 padding of a message by its SHA-256 digest.
    public static let rsaSignatureMessagePKCS1v15SHA256 = Self(
        named: "algid:sign:RSA:message-PKCS1v15:SHA256"
    )
    /// An RSA signature with PKCS#1 v1.5 padding of a message by its SHA-384 digest.
    public static let rsaSignatureMessagePKCS1v15SHA384 = Self(
        named: "algid:sign:RSA:message-PKCS1v15:SHA384"
    )
    /// An RSA signature with PKCS#1 v1.5 padding of a message by its SHA-512 digest.
    public static let rsaSignatureMessagePKCS1v15SHA512 = Self(
        named: "algid:sign:RSA:message-PKCS1v15:SHA512"
    )
    /// An RSA signature with PSS padding of a message by its SHA-1 digest.
    public static let rsaSignatureMessagePSSSHA1 = Self(named: "algid:sign:RSA:message-PSS:SHA1:SHA1:20")
    /// An RSA signature with PSS padding of a message by its SHA-224 digest; not offered.
    public static let rsaSignatureMessagePSSSHA224 = Self(
        named: "algid:sign:RSA:message-PSS:SHA224:SHA224:24"
    )
    /// An RSA signature with PSS padding of a message by its SHA-256 digest.
    public static let rsaSignatureMessagePSSSHA256 = Self(
        named: "algid:sign:RSA:message-PSS:SHA256:SHA256:32"
    )
    /// An RSA signature with PSS padding of a message by its SHA-384 digest.
    public static let rsaSignatureMessagePSSSHA384 = Self(
        named: "algid:sign:RSA:message-PSS:SHA384:SHA384:48"
    )
    /// An RSA signature with PSS padding of a message by its SHA-512 digest.
    public static let rsaSignatureMessagePSSSHA512 = Self(
        named: "algid:sign:RSA:message-PSS:SHA512:SHA512:64"
    )
}

// MARK: Signatures by elliptic curves

extension SecKeyAlgorithm {
    /// An ECDSA signature as r and s in turn of a digest, in the older name of ``ecdsaSignatureDigestRFC4754``.
    public static let ecdsaSignatureRFC4754 = Self(named: "algid:sign:ECDSA:RFC4754")
    /// An ECDSA signature in DER of a digest.
    public static let ecdsaSignatureDigestX962 = Self(named: "algid:sign:ECDSA:digest-X962")
    /// An ECDSA signature in DER of a SHA-1 digest.
    public static let ecdsaSignatureDigestX962SHA1 = Self(named: "algid:sign:ECDSA:digest-X962:SHA1")
    /// An ECDSA signature in DER of a SHA-224 digest.
    public static let ecdsaSignatureDigestX962SHA224 = Self(named: "algid:sign:ECDSA:digest-X962:SHA224")
    /// An ECDSA signature in DER of a SHA-256 digest.
    public static let ecdsaSignatureDigestX962SHA256 = Self(named: "algid:sign:ECDSA:digest-X962:SHA256")
    /// An ECDSA signature in DER of a SHA-384 digest.
    public static let ecdsaSignatureDigestX962SHA384 = Self(named: "algid:sign:ECDSA:digest-X962:SHA384")
    /// An ECDSA signature in DER of a SHA-512 digest.
    public static let ecdsaSignatureDigestX962SHA512 = Self(named: "algid:sign:ECDSA:digest-X962:SHA512")
    /// An ECDSA signature in DER of a message by its SHA-1 digest.
    public static let ecdsaSignatureMessageX962SHA1 = Self(named: "algid:sign:ECDSA:message-X962:SHA1")
    /// An ECDSA signature in DER of a message by its SHA-224 digest; not offered.
    public static let ecdsaSignatureMessageX962SHA224 = Self(named: "algid:sign:ECDSA:message-X962:SHA224")
    /// An ECDSA signature in DER of a message by its SHA-256 digest.
    public static let ecdsaSignatureMessageX962SHA256 = Self(named: "algid:sign:ECDSA:message-X962:SHA256")
    /// An ECDSA signature in DER of a message by its SHA-384 digest.
    public static let ecdsaSignatureMessageX962SHA384 = Self(named: "algid:sign:ECDSA:message-X962:SHA384")
    /// An ECDSA signature in DER of a message by its SHA-512 digest.
    public static let ecdsaSignatureMessageX962SHA512 = Self(named: "algid:sign:ECDSA:message-X962:SHA512")
    /// An ECDSA signature as r and s in turn of a digest.
    public static let ecdsaSignatureDigestRFC4754 = Self(named: "algid:sign:ECDSA:digest-RFC4754")
    /// An ECDSA signature as r and s in turn of a SHA-1 digest.
    public static let ecdsaSignatureDigestRFC4754SHA1 = Self(named: "algid:sign:ECDSA:digest-RFC4754:SHA1")
    /// An ECDSA signature as r and s in turn of a SHA-224 digest.
    public static let ecdsaSignatureDigestRFC4754SHA224 = Self(
        named: "algid:sign:ECDSA:digest-RFC4754:SHA224"
    )
    /// An ECDSA signature as r and s in turn of a SHA-256 digest.
    public static let ecdsaSignatureDigestRFC4754SHA256 = Self(
        named: "algid:sign:ECDSA:digest-RFC4754:SHA256"
    )
    /// An ECDSA signature as r and s in turn of a SHA-384 digest.
    public static let ecdsaSignatureDigestRFC4754SHA384 = Self(
        named: "algid:sign:ECDSA:digest-RFC4754:SHA384"
    )
    /// An ECDSA signature as r and s in turn of a SHA-512 digest.
    public static let ecdsaSignatureDigestRFC4754SHA512 = Self(
        named: "algid:sign:ECDSA:digest-RFC4754:SHA512"
    )
    /// An ECDSA signature as r and s in turn of a message by its SHA-1 digest.
    public static let ecdsaSignatureMessageRFC4754SHA1 = Self(named: "algid:sign:ECDSA:message-RFC4754:SHA1")
    /// An ECDSA signature as r and s in turn of a message by its SHA-224 digest; not offered.
    public static let ecdsaSignatureMessageRFC4754SHA224 = Self(
        named: "algid:sign:ECDSA:message-RFC4754:SHA224"
    )
    /// An ECDSA signature as r and s in turn of a message by its SHA-256 digest.
    public static let ecdsaSignatureMessageRFC4754SHA256 = Self(
        named: "algid:sign:ECDSA:message-RFC4754:SHA256"
    )
    /// An ECDSA signature as r and s in turn of a message by its SHA-384 digest.
    public static let ecdsaSignatureMessageRFC4754SHA384 = Self(
        named: "algid:sign:ECDSA:message-RFC4754:SHA384"
    )
    /// An ECDSA signature as r and s in turn of a message by its SHA-512 digest.
    public static let ecdsaSignatureMessageRFC4754SHA512 = Self(
        named: "algid:sign:ECDSA:message-RFC4754:SHA512"
    )
}

// MARK: Encryption by RSA

extension SecKeyAlgorithm {
    /// RSA encryption without padding; not offered.
    public static let rsaEncryptionRaw = Self(named: "algid:encrypt:RSA:raw")
    /// RSA encryption with PKCS#1 v1.5 padding, which is weak.
    public static let rsaEncryptionPKCS1 = Self(named: "algid:encrypt:RSA:PKCS1")
    /// RSA encryption with OAEP padding and SHA-1.
    public static let rsaEncryptionOAEPSHA1 = Self(named: "algid:encrypt:RSA:OAEP:SHA1")
    /// RSA encryption with OAEP padding and SHA-224; not offered.
    public static let rsaEncryptionOAEPSHA224 = Self(named: "algid:encrypt:RSA:OAEP:SHA224")
    /// RSA encryption with OAEP padding and SHA-256.
    public static let rsaEncryptionOAEPSHA256 = Self(named: "algid:encrypt:RSA:OAEP:SHA256")
    /// RSA encryption with OAEP padding and SHA-384; not offered.
    public static let rsaEncryptionOAEPSHA384 = Self(named: "algid:encrypt:RSA:OAEP:SHA384")
    /// RSA encryption with OAEP padding and SHA-512; not offered.
    public static let rsaEncryptionOAEPSHA512 = Self(named: "algid:encrypt:RSA:OAEP:SHA512")
    /// AES-GCM under a fresh key that RSA encrypts with OAEP and SHA-1.
    public static let rsaEncryptionOAEPSHA1AESGCM = Self(named: "algid:encrypt:RSA:OAEP:SHA1:AESGCM")
    /// AES-GCM under a fresh key that RSA encrypts with OAEP and SHA-224; not offered.
    public static let rsaEncryptionOAEPSHA224AESGCM = Self(named: "algid:encrypt:RSA:OAEP:SHA224:AESGCM")
    /// AES-GCM under a fresh key that RSA encrypts with OAEP and SHA-256.
    public static let rsaEncryptionOAEPSHA256AESGCM = Self(named: "algid:encrypt:RSA:OAEP:SHA256:AESGCM")
    /// AES-GCM under a fresh key that RSA encrypts with OAEP and SHA-384; not offered.
    public static let rsaEncryptionOAEPSHA384AESGCM = Self(named: "algid:encrypt:RSA:OAEP:SHA384:AESGCM")
    /// AES-GCM under a fresh key that RSA encrypts with OAEP and SHA-512; not offered.
    public static let rsaEncryptionOAEPSHA512AESGCM = Self(named: "algid:encrypt:RSA:OAEP:SHA512:AESGCM")
}

// MARK: Encryption by elliptic curves

extension SecKeyAlgorithm {
    /// ECIES: X9.63 with SHA-1, AES-GCM with a nonce of zeros.
    public static let eciesEncryptionStandardX963SHA1AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM"
    )
    /// ECIES: X9.63 with SHA-224, AES-GCM with a nonce of zeros; not offered.
    public static let eciesEncryptionStandardX963SHA224AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM"
    )
    /// ECIES: X9.63 with SHA-256, AES-GCM with a nonce of zeros.
    public static let eciesEncryptionStandardX963SHA256AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM"
    )
    /// ECIES: X9.63 with SHA-384, AES-GCM with a nonce of zeros.
    public static let eciesEncryptionStandardX963SHA384AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM"
    )
    /// ECIES: X9.63 with SHA-512, AES-GCM with a nonce of zeros.
    public static let eciesEncryptionStandardX963SHA512AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM"
    )
    /// ECIES with the cofactor: X9.63 with SHA-1, AES-GCM with a nonce of zeros.
    public static let eciesEncryptionCofactorX963SHA1AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA1:AESGCM"
    )
    /// ECIES with the cofactor: X9.63 with SHA-224, AES-GCM with a nonce of zeros; not offered.
    public static let eciesEncryptionCofactorX963SHA224AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM"
    )
    /// ECIES with the cofactor: X9.63 with SHA-256, AES-GCM with a nonce of zeros.
    public static let eciesEncryptionCofactorX963SHA256AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM"
    )
    /// ECIES with the cofactor: X9.63 with SHA-384, AES-GCM with a nonce of zeros.
    public static let eciesEncryptionCofactorX963SHA384AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM"
    )
    /// ECIES with the cofactor: X9.63 with SHA-512, AES-GCM with a nonce of zeros.
    public static let eciesEncryptionCofactorX963SHA512AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM"
    )
    /// ECIES: X9.63 with SHA-224, AES-GCM with a derived nonce; not offered.
    public static let eciesEncryptionStandardVariableIVX963SHA224AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA224:AESGCM-KDFIV"
    )
    /// ECIES: X9.63 with SHA-256, AES-GCM with a derived nonce.
    public static let eciesEncryptionStandardVariableIVX963SHA256AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV"
    )
    /// ECIES: X9.63 with SHA-384, AES-GCM with a derived nonce.
    public static let eciesEncryptionStandardVariableIVX963SHA384AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA384:AESGCM-KDFIV"
    )
    /// ECIES: X9.63 with SHA-512, AES-GCM with a derived nonce.
    public static let eciesEncryptionStandardVariableIVX963SHA512AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDH:KDFX963:SHA512:AESGCM-KDFIV"
    )
    /// ECIES with the cofactor: X9.63 with SHA-224, AES-GCM with a derived nonce; not offered.
    public static let eciesEncryptionCofactorVariableIVX963SHA224AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA224:AESGCM-KDFIV"
    )
    /// ECIES with the cofactor: X9.63 with SHA-256, AES-GCM with a derived nonce.
    public static let eciesEncryptionCofactorVariableIVX963SHA256AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA256:AESGCM-KDFIV"
    )
    /// ECIES with the cofactor: X9.63 with SHA-384, AES-GCM with a derived nonce.
    public static let eciesEncryptionCofactorVariableIVX963SHA384AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA384:AESGCM-KDFIV"
    )
    /// ECIES with the cofactor: X9.63 with SHA-512, AES-GCM with a derived nonce.
    public static let eciesEncryptionCofactorVariableIVX963SHA512AESGCM = Self(
        named: "algid:encrypt:ECIES:ECDHC:KDFX963:SHA512:AESGCM-KDFIV"
    )
}

// MARK: Key agreement

extension SecKeyAlgorithm {
    /// Key agreement, the secret as it is.
    public static let ecdhKeyExchangeStandard = Self(named: "algid:keyexchange:ECDH")
    /// Key agreement, the secret derived by X9.63 with SHA-1.
    public static let ecdhKeyExchangeStandardX963SHA1 = Self(named: "algid:keyexchange:ECDH:KDFX963:SHA1")
    /// Key agreement, the secret derived by X9.63 with SHA-224; not offered.
    public static let ecdhKeyExchangeStandardX963SHA224 = Self(named: "algid:keyexchange:ECDH:KDFX963:SHA224")
    /// Key agreement, the secret derived by X9.63 with SHA-256.
    public static let ecdhKeyExchangeStandardX963SHA256 = Self(named: "algid:keyexchange:ECDH:KDFX963:SHA256")
    /// Key agreement, the secret derived by X9.63 with SHA-384.
    public static let ecdhKeyExchangeStandardX963SHA384 = Self(named: "algid:keyexchange:ECDH:KDFX963:SHA384")
    /// Key agreement, the secret derived by X9.63 with SHA-512.
    public static let ecdhKeyExchangeStandardX963SHA512 = Self(named: "algid:keyexchange:ECDH:KDFX963:SHA512")
    /// Key agreement with the cofactor, the secret as it is.
    public static let ecdhKeyExchangeCofactor = Self(named: "algid:keyexchange:ECDHC")
    /// Key agreement with the cofactor, the secret derived by X9.63 with SHA-1.
    public static let ecdhKeyExchangeCofactorX963SHA1 = Self(named: "algid:keyexchange:ECDHC:KDFX963:SHA1")
    /// Key agreement with the cofactor, the secret derived by X9.63 with SHA-224; not offered.
    public static let ecdhKeyExchangeCofactorX963SHA224 = Self(
        named: "algid:keyexchange:ECDHC:KDFX963:SHA224"
    )
    /// Key agreement with the cofactor, the secret derived by X9.63 with SHA-256.
    public static let ecdhKeyExchangeCofactorX963SHA256 = Self(
        named: "algid:keyexchange:ECDHC:KDFX963:SHA256"
    )
    /// Key agreement with the cofactor, the secret derived by X9.63 with SHA-384.
    public static let ecdhKeyExchangeCofactorX963SHA384 = Self(
        named: "algid:keyexchange:ECDHC:KDFX963:SHA384"
    )
    /// Key agreement with the cofactor, the secret derived by X9.63 with SHA-512.
    public static let ecdhKeyExchangeCofactorX963SHA512 = Self(
        named: "algid:keyexchange:ECDHC:KDFX963:SHA512"
    )
}
