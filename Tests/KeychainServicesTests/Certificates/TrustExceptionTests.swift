// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

@Suite struct TrustExceptionTests {
    private let certificate: SecCertificate
    private let other: SecCertificate

    init() throws {
        let folder = try OpenSSLFolder()
        try folder.makeIdentity("a")
        try folder.makeIdentity("b")
        certificate = try #require(SecCertificateCreateWithData(nil, folder.certificate("a.pem") as CFData))
        other = try #require(SecCertificateCreateWithData(nil, folder.certificate("b.pem") as CFData))
    }

    private func trust(_ certificates: SecCertificate..., policy: SecPolicy? = nil) throws -> SecTrust {
        var trust: SecTrust?
        #expect(SecTrustCreateWithCertificates(certificates as NSArray, policy, &trust) == errSecSuccess)
        let made = try #require(trust)
        SecTrustSetAnchorCertificates(made, NSArray())
        return made
    }

    #if Trust
    private func result(_ trust: SecTrust) -> SecTrustResultType {
        var result = SecTrustResultType.invalid
        SecTrustGetTrustResult(trust, &result)
        return result
    }

    private func status(_ trust: SecTrust) -> OSStatus {
        var error: CFError?
        return SecTrustEvaluateWithError(trust, &error) ? errSecSuccess : OSStatus(CFErrorGetCode(error))
    }

    @Test func `a failure for which there is an exception is ignored`() throws {
        let first = try trust(certificate)
        #expect(status(first) == errSecNotTrusted)
        let exceptions = try #require(SecTrustCopyExceptions(first))
        #expect(status(first) == errSecNotTrusted)
        // A new trust object for the same certificate accepts stored exceptions, as in a later process.
        let second = try trust(certificate)
        #expect(SecTrustSetExceptions(second, exceptions))
        #expect(result(second) == .invalid)
        #expect(status(second) == errSecSuccess)
        #expect(result(second) == .proceed)
        #expect((SecTrustCopyCertificateChain(second) as? [SecCertificate]) == [certificate])
        #expect(!SecTrustSetExceptions(second, nil))
        #expect(status(second) == errSecNotTrusted)
    }

    /// The encoding of exceptions, which programs store, must not change.
    @Test(
        arguments: [
            (SecPolicyCreateBasicX509(), 0, 0b1), (SecPolicyCreateSSL(true, "other.example"), 0, 0b111),
            (SecPolicyCreateSSL(false, nil), 0, 0b1), (SecPolicyCreateBasicX509(), 100, 0b1001),
            (SecPolicyCreateBasicX509(), -100, 0b1_0001), (SecPolicyCreateRevocation(8), 0, 0b10_0001),
        ] as [(SecPolicy?, Double, UInt8)]
    )
    func `each failure has a fixed bit when encoded`(policy: SecPolicy?, years: Double, mask: UInt8) throws {
        let folder = try OpenSSLFolder()
        try folder.openssl(
            "req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout k.key -out k.pem -days 3650"
                + " -subj /CN=k -addext extendedKeyUsage=clientAuth"
        )
        let der = try folder.certificate("k.pem")
        let trust = try trust(
            try #require(SecCertificateCreateWithData(nil, der as CFData)),
            policy: policy
        )
        SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceNow: 3_600 + years * 366 * 86_400))
        #expect(SecTrustCopyExceptions(trust) as Data? == Data([1, mask]) + der)
    }

    @Test func `with exceptions, the chain contains only the certificate itself`() throws {
        let exceptions = SecTrustCopyExceptions(try trust(certificate))
        let trust = try trust(certificate, other)
        SecTrustSetExceptions(trust, exceptions)
        #expect(status(trust) == errSecSuccess)
        #expect((SecTrustCopyCertificateChain(trust) as? [SecCertificate]) == [certificate])
    }

    @Test func `exceptions do not cover a failure that appears later`() throws {
        let trust = try trust(certificate)
        SecTrustSetExceptions(trust, SecTrustCopyExceptions(trust))
        #expect(status(trust) == errSecSuccess)
        SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, "other.example" as CFString))
        #expect(status(trust) != errSecSuccess)
        SecTrustSetPolicies(trust, SecPolicyCreateBasicX509())
        SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceNow: 86_400 * 365 * 100))
        #expect(status(trust) != errSecSuccess)
        #expect(result(trust) == .recoverableTrustFailure)
        // Exceptions copied now cover every failure at this date, whichever exceptions were set before.
        SecTrustSetExceptions(trust, SecTrustCopyExceptions(trust))
        #expect(status(trust) == errSecSuccess)
    }

    @Test func `exceptions for one certificate do not apply to another`() throws {
        let exceptions = try #require(SecTrustCopyExceptions(try trust(certificate)))
        let trust = try trust(other)
        #expect(SecTrustSetExceptions(trust, SecTrustCopyExceptions(trust)))
        #expect(!SecTrustSetExceptions(trust, exceptions))
        #expect(status(trust) == errSecNotTrusted)
    }

    @Test func `a trusted certificate needs no exceptions and stays trusted`() throws {
        let authority = try CertificateAuthority().issue("canary root").certificate
        let trust = try trust(authority)
        SecTrustSetAnchorCertificates(trust, [authority] as CFArray)
        let exceptions = try #require(SecTrustCopyExceptions(trust))
        #expect(SecTrustSetExceptions(trust, exceptions))
        #expect(status(trust) == errSecSuccess)
        #expect(result(trust) == .unspecified)
        SecTrustSetAnchorCertificates(trust, NSArray())
        #expect(status(trust) == errSecNotTrusted)
    }

    @Test func `a required revocation status is always unknown`() throws {
        let authority = try CertificateAuthority().issue("canary root").certificate
        let required = kSecRevocationOCSPMethod | kSecRevocationRequirePositiveResponse
        for (flags, expected) in [
            (kSecRevocationUseAnyAvailableMethod, errSecSuccess),
            (required, errSecIncompleteCertRevocationCheck),
        ] {
            let trust = try trust(authority, policy: SecPolicyCreateRevocation(flags))
            SecTrustSetAnchorCertificates(trust, [authority] as CFArray)
            #expect(status(trust) == expected)
            SecTrustSetExceptions(trust, SecTrustCopyExceptions(trust))
            #expect(status(trust) == errSecSuccess)
        }
    }

    @Test func `SecTrustCopyResult returns the result and the verify date`() throws {
        let trust = try trust(certificate)
        SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceReferenceDate: 9e8))
        let found = try #require(SecTrustCopyResult(trust))
        #expect(found[kSecTrustResultValue] as? UInt32 == 5)
        #expect(found[kSecTrustEvaluationDate] as? Date == Date(timeIntervalSinceReferenceDate: 9e8))
        #expect(found.count == 2)
        SecTrustSetExceptions(trust, SecTrustCopyExceptions(trust))
        #expect(SecTrustCopyResult(trust)?[kSecTrustResultValue] as? UInt32 == 1)
    }
    #else
    @Test func `there are no exceptions without the trait Trust`() throws {
        #expect(SecTrustCopyExceptions(try trust(certificate)) == nil)
        #expect(SecTrustCopyResult(try trust(other))?[kSecTrustResultValue] as? UInt32 == 7)
    }
    #endif

    @Test func `malformed exceptions are ignored`() throws {
        let der = SecCertificateCopyData(certificate) as Data
        let trust = try trust(certificate)
        #expect(SecTrustSetExceptions(trust, (Data([1, 1]) + der) as CFData))
        let bad = [
            Data(), Data([1]), Data([1, 1]), Data([0, 1]) + der, Data([2, 1]) + der, Data([1, 0x41]) + der,
            Data([1, 0xff]) + der, Data([1, 1]) + der.dropLast(), Data([1, 1]) + der + [0], der,
            // Exceptions for another certificate, as a `Data` slice whose indices do not start at 0.
            (Data([9, 1, 1]) + (SecCertificateCopyData(other) as Data)).dropFirst(),
        ]
        for bytes in bad { #expect(!SecTrustSetExceptions(trust, bytes as CFData)) }
        #expect(!SecTrustEvaluateWithError(trust, nil))
    }
}
