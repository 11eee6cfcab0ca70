// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// Signatures, encryption and key exchange through the API; KeychainObjectsTests check the algorithms.
@Suite struct KeyOperationTests {
    private let message = Data("a message".utf8) as CFData

    @Test func `a signature is verified with the public key`() throws {
        let pairs: [(KeyPair, SecKeyAlgorithm)] = [
            (try .ellipticCurve(), .ecdsaSignatureMessageX962SHA256),
            (try .ellipticCurve(521), .ecdsaSignatureMessageRFC4754SHA512),
            (try .rsa(), .rsaSignatureMessagePSSSHA256),
            (try .rsa(), .rsaSignatureMessagePKCS1v15SHA1),
        ]
        for (pair, algorithm) in pairs {
            let signature = try failing { SecKeyCreateSignature(pair.private, algorithm, message, $0) }
            #expect(SecKeyVerifySignature(pair.public, algorithm, message, signature, nil))
            var error: Unmanaged<CFError>?
            #expect(!SecKeyVerifySignature(pair.public, algorithm, signature, signature, &error))
            let reported = try #require(error?.takeRetainedValue())
            #expect(reported.domain == NSOSStatusErrorDomain)
            #expect(reported.code == Int(errSecVerifyFailed))
        }
    }

    @Test func `openssl verifies a signature of the API`() throws {
        let pair = try KeyPair.ellipticCurve()
        let folder = try OpenSSLFolder()
        // The DER bytes of a P-256 SubjectPublicKeyInfo that precede the point.
        let head = Data([
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A,
            0x86,
            0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ])
        try folder.write(head + pair.public.bytes, to: "public.der")
        try folder.write(message as Data, to: "message")
        let signature = try failing {
            SecKeyCreateSignature(pair.private, .ecdsaSignatureMessageX962SHA384, message, $0)
        }
        try folder.write(signature as Data, to: "signature")
        try folder.openssl("dgst -sha384 -keyform DER -verify public.der -signature signature message")
    }

    @Test func `ciphertext of the public key is decrypted with the private key`() throws {
        let pairs: [(KeyPair, SecKeyAlgorithm)] = [
            (try .ellipticCurve(), .eciesEncryptionCofactorVariableIVX963SHA256AESGCM),
            (try .ellipticCurve(384), .eciesEncryptionStandardX963SHA512AESGCM),
            (try .rsa(), .rsaEncryptionOAEPSHA256),
            (try .rsa(), .rsaEncryptionOAEPSHA1AESGCM),
            (try .rsa(), .rsaEncryptionPKCS1),
        ]
        for (pair, algorithm) in pairs {
            let ciphertext = try failing { SecKeyCreateEncryptedData(pair.public, algorithm, message, $0) }
            let plaintext = try failing { SecKeyCreateDecryptedData(pair.private, algorithm, ciphertext, $0) }
            #expect(plaintext == message)
            let shorter = Data((ciphertext as Data).dropLast()) as CFData
            #expect(
                try status { SecKeyCreateDecryptedData(pair.private, algorithm, shorter, $0) } == errSecParam
            )
        }
    }

    @Test func `both parties derive the same secret for all types of parameter keys and values`() throws {
        let (one, other) = (try KeyPair.ellipticCurve(384), try KeyPair.ellipticCurve(384))
        let algorithm = SecKeyAlgorithm.ecdhKeyExchangeStandardX963SHA256
        let info = Data("info".utf8)
        let size = SecKeyKeyExchangeParameter.requestedSize
        let shared = SecKeyKeyExchangeParameter.sharedInfo
        let forms: [CFDictionary] = [
            [size.rawValue as String: 40, shared.rawValue as String: info] as [String: Any] as CFDictionary,
            [size: 40, shared: info] as [SecKeyKeyExchangeParameter: Any] as CFDictionary,
            [size.rawValue: NSNumber(value: 40), shared.rawValue: info as NSData] as CFDictionary,
        ]
        let secrets = try forms.flatMap { parameters in
            [
                try failing {
                    SecKeyCopyKeyExchangeResult(one.private, algorithm, other.public, parameters, $0)
                },
                try failing {
                    SecKeyCopyKeyExchangeResult(other.private, algorithm, one.public, parameters, $0)
                },
            ]
        }
        #expect(Set(secrets).count == 1)
        #expect(secrets[0].length == 40)
        let plain = try failing {
            SecKeyCopyKeyExchangeResult(
                one.private,
                .ecdhKeyExchangeCofactor,
                other.public,
                [:] as CFDictionary,
                $0
            )
        }
        #expect(plain.length == 48)
    }

    @Test func `key exchange with missing, invalid or incompatible arguments fails`() throws {
        let (pair, foreign, rsa) = (
            try KeyPair.ellipticCurve(), try KeyPair.ellipticCurve(384), try KeyPair.rsa()
        )
        let derived = SecKeyAlgorithm.ecdhKeyExchangeStandardX963SHA256
        let size: Entries = ["requestedSize": 32]
        let cases: [(SecKey, SecKeyAlgorithm, SecKey, Entries, OSStatus)] = [
            (pair.private, derived, pair.public, [:], errSecParam),
            (pair.private, derived, pair.public, ["requestedSize": "32"], errSecParam),
            (pair.private, derived, pair.public, ["requestedSize": -1], errSecParam),
            (pair.private, derived, pair.public, ["requestedSize": Int.max], errSecParam),
            (pair.private, derived, pair.public, ["requestedSize": UInt64.max], errSecParam),
            (pair.private, derived, pair.public, size.adding(["sharedInfo": "text"]), errSecParam),
            (pair.private, derived, foreign.public, size, errSecParam),
            (pair.private, derived, pair.private, size, errSecParam),
            (pair.private, derived, rsa.public, size, errSecParam),
            (pair.public, derived, pair.public, size, errSecParam),
            (rsa.private, derived, pair.public, size, errSecParam),
            (pair.private, .ecdhKeyExchangeStandardX963SHA224, pair.public, size, errSecUnimplemented),
            (pair.private, .rsaEncryptionPKCS1, pair.public, size, errSecParam),
        ]
        for (key, algorithm, other, parameters, expected) in cases {
            let status = try status {
                SecKeyCopyKeyExchangeResult(key, algorithm, other, parameters as CFDictionary, $0)
            }
            #expect(status == expected, "\(algorithm.rawValue) \(parameters)")
        }
    }

    @Test func `incompatible and unimplemented algorithms return different errors`() throws {
        let (curve, rsa) = (try KeyPair.ellipticCurve(), try KeyPair.rsa())
        let cases: [(SecKey, SecKeyAlgorithm, OSStatus)] = [
            (curve.private, .rsaSignatureMessagePSSSHA256, errSecParam),
            (curve.public, .ecdsaSignatureMessageX962SHA256, errSecParam),
            (curve.private, .ecdsaSignatureMessageX962SHA224, errSecUnimplemented),
            (curve.private, .ecdsaSignatureDigestX962SHA256, errSecParam),
            (curve.private, SecKeyAlgorithm(rawValue: "algid:sign:other"), errSecParam),
            (curve.private, .ecdhKeyExchangeStandard, errSecParam),
            (rsa.private, .rsaSignatureRaw, errSecUnimplemented),
            (rsa.private, .rsaSignatureDigestPKCS1v15Raw, errSecUnimplemented),
            (rsa.private, .ecdsaSignatureMessageX962SHA256, errSecParam),
            (rsa.private, .rsaSignatureDigestPSSSHA512, errSecParam),
        ]
        for (key, algorithm, expected) in cases {
            #expect(
                try status { SecKeyCreateSignature(key, algorithm, message, $0) } == expected,
                "\(algorithm.rawValue)"
            )
        }
        #expect(
            try status { SecKeyCreateEncryptedData(rsa.public, .rsaEncryptionOAEPSHA512, message, $0) }
                == errSecUnimplemented
        )
        #expect(
            try status { SecKeyCreateEncryptedData(rsa.private, .rsaEncryptionOAEPSHA1, message, $0) }
                == errSecParam
        )
        let large = Data(count: 10_000) as CFData
        #expect(
            try status { SecKeyCreateEncryptedData(rsa.public, .rsaEncryptionOAEPSHA1, large, $0) }
                == errSecParam
        )
    }
}
