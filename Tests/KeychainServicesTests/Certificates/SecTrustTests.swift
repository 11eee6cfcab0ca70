// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// The `SecTrust` functions; the verification of chains is tested in `TrustTests`.
@Suite struct SecTrustTests {
    private let certificate: SecCertificate
    private let other: SecCertificate

    init() throws {
        let folder = try OpenSSLFolder()
        try folder.openssl(
            "req -x509 -nodes -newkey rsa:2048 -keyout key -out a.pem -subj /CN=a -addext",
            [
                "subjectAltName=DNS:host.example"
            ]
        )
        try folder.makeIdentity("b")
        certificate = try #require(SecCertificateCreateWithData(nil, folder.certificate("a.pem") as CFData))
        other = try #require(SecCertificateCreateWithData(nil, folder.certificate("b.pem") as CFData))
    }

    private func trust(_ policies: CFTypeRef? = nil) throws -> SecTrust {
        var trust: SecTrust?
        #expect(
            SecTrustCreateWithCertificates([certificate, other] as CFArray, policies, &trust) == errSecSuccess
        )
        return try #require(trust)
    }

    @Test func `arguments of the wrong type return errSecParam`() throws {
        var trust: SecTrust?
        let bad: [CFTypeRef] = [NSArray(), "x" as NSString, [certificate, "x"] as NSArray]
        for certificates in bad {
            #expect(SecTrustCreateWithCertificates(certificates, nil, &trust) == errSecParam)
        }
        #expect(SecTrustCreateWithCertificates(certificate, certificate, &trust) == errSecParam)
        #expect(trust == nil)
        let good = try self.trust()
        #expect(SecTrustSetPolicies(good, NSArray()) == errSecParam)
        #expect(SecTrustSetAnchorCertificates(good, ["x"] as NSArray) == errSecParam)
        for seconds in [Double.nan, .infinity, -.infinity] {
            let date = NSDate(timeIntervalSinceReferenceDate: seconds)
            #expect(SecTrustSetVerifyDate(good, date) == errSecParam)
        }
        // A date that X.509 cannot encode, millions of years from now, is accepted but makes the evaluation
        // fail.
        #expect(SecTrustSetVerifyDate(good, NSDate(timeIntervalSinceReferenceDate: 1e15)) == errSecSuccess)
        #expect(!SecTrustEvaluateWithError(good, nil))
    }

    #if !Trust
    @Test func `evaluation fails without the trait Trust`() throws {
        var result = SecTrustResultType.unspecified
        #expect(SecTrustEvaluate(try trust(), &result) == errSecUnimplemented)
        #expect(result == .otherError)
    }
    #endif

    #if Trust
    @Test func `anchors determine trust, and a change requires another evaluation`() throws {
        let trust = try trust(SecPolicyCreateSSL(true, "host.example" as CFString))
        var result = SecTrustResultType.proceed
        SecTrustGetTrustResult(trust, &result)
        #expect(result == .invalid)
        var error: CFError?
        #expect(!SecTrustEvaluateWithError(trust, &error))
        #expect(CFErrorGetCode(error) == Int(errSecNotTrusted))
        SecTrustGetTrustResult(trust, &result)
        #expect(result == .recoverableTrustFailure)
        SecTrustSetAnchorCertificates(trust, [certificate] as CFArray)
        SecTrustGetTrustResult(trust, &result)
        #expect(result == .invalid)
        #expect(SecTrustEvaluateWithError(trust, nil))
        SecTrustGetTrustResult(trust, &result)
        #expect(result == .unspecified)
        #expect((SecTrustCopyCertificateChain(trust) as? [SecCertificate])?.count == 1)
        #expect(SecTrustGetCertificateCount(trust) == 1)
        SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, "other.example" as CFString))
        #expect(!SecTrustEvaluateWithError(trust, &error))
        #expect(CFErrorGetCode(error) == Int(errSecHostNameMismatch))
        SecTrustSetPolicies(trust, SecPolicyCreateBasicX509())
        SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceNow: 86_400 * 40))
        #expect(!SecTrustEvaluateWithError(trust, &error))
        #expect(CFErrorGetCode(error) == Int(errSecCertificateExpired))
        SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceNow: -86_400 * 40))
        #expect(!SecTrustEvaluateWithError(trust, &error))
        #expect(CFErrorGetCode(error) == Int(errSecCertificateNotValidYet))
    }

    @Test func `deprecated and asynchronous functions return the same result`() async throws {
        for (anchors, isTrusted) in [([other], false), ([certificate], true)] {
            let trust = try trust()
            SecTrustSetAnchorCertificates(trust, anchors as CFArray)
            let expected: SecTrustResultType = isTrusted ? .unspecified : .recoverableTrustFailure
            var result = SecTrustResultType.invalid
            #expect(SecTrustEvaluate(trust, &result) == errSecSuccess)
            #expect(result == expected)
            let queue = DispatchQueue(label: "trust")
            let answer = await withCheckedContinuation { continuation in
                let status = SecTrustEvaluateAsyncWithError(trust, queue) { asked, isTrusted, error in
                    dispatchPrecondition(condition: .onQueue(queue))
                    continuation.resume(returning: (asked === trust, isTrusted, CFErrorGetCode(error)))
                }
                #expect(status == errSecSuccess)
            }
            #expect(answer == (true, isTrusted, isTrusted ? 0 : Int(errSecNotTrusted)))
            for queue in [queue, nil] {
                let found = await withCheckedContinuation { continuation in
                    SecTrustEvaluateAsync(trust, queue) { continuation.resume(returning: ($0 === trust, $1)) }
                }
                #expect(found == (true, expected))
            }
        }
    }

    @Test func `all policies must be satisfied`() throws {
        let policies = [SecPolicyCreateBasicX509(), SecPolicyCreateSSL(true, "other.example" as CFString)]
        let trust = try trust(policies as CFArray)
        SecTrustSetAnchorCertificates(trust, [certificate] as CFArray)
        var error: CFError?
        #expect(!SecTrustEvaluateWithError(trust, &error))
        #expect(CFErrorGetCode(error) == Int(errSecHostNameMismatch))
    }
    #else
    @Test func `evaluation returns errSecUnimplemented without the trait Trust`() throws {
        var error: CFError?
        #expect(try !SecTrustEvaluateWithError(trust(), &error))
        #expect(CFErrorGetCode(error) == Int(errSecUnimplemented))
    }
    #endif

    @Test func `anchors, policies and dates can be read back`() throws {
        let trust = try trust()
        var anchors: CFArray?
        SecTrustCopyCustomAnchorCertificates(trust, &anchors)
        #expect(anchors == nil)
        SecTrustSetAnchorCertificates(trust, [other] as CFArray)
        SecTrustCopyCustomAnchorCertificates(trust, &anchors)
        #expect(anchors as? [SecCertificate] == [other])
        SecTrustSetAnchorCertificates(trust, nil)
        SecTrustCopyCustomAnchorCertificates(trust, &anchors)
        #expect(anchors == nil)
        SecTrustSetPolicies(trust, [SecPolicyCreateSSL(false, nil)] as CFArray)
        var policies: CFArray?
        SecTrustCopyPolicies(trust, &policies)
        #expect(policies as? [SecPolicy] == [SecPolicyCreateSSL(false, nil)])
        SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceReferenceDate: 7))
        #expect(SecTrustGetVerifyTime(trust) == 7)
        #expect(SecTrustGetCertificateAtIndex(trust, 0) === certificate)
        #expect(SecTrustGetCertificateAtIndex(trust, 9) == nil)
        #expect(SecTrustCopyKey(trust) != nil)
        #expect(SecTrustCopyPublicKey(trust) == SecTrustCopyKey(trust))
        var allowed: DarwinBoolean = true
        SecTrustSetNetworkFetchAllowed(trust, true)
        SecTrustGetNetworkFetchAllowed(trust, &allowed)
        #expect(!allowed.boolValue)
    }
}
