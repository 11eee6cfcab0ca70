// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing

@Suite struct PolicyTests {
    private static func properties(_ policy: SecPolicy) -> [String: AnyHashable]? {
        SecPolicyCopyProperties(policy) as? [String: AnyHashable]
    }

    @Test func `the basic policy has its identifier`() {
        let policy = SecPolicyCreateBasicX509()
        #expect(Self.properties(policy) == ["SecPolicyOid": "1.2.840.113635.100.1.2"])
        #expect(policy == SecPolicyCreateBasicX509())
        #expect(policy != SecPolicyCreateSSL(true, nil))
        #expect(SecPolicyCreateWithProperties(kSecPolicyAppleX509Basic, nil) == policy)
    }

    @Test(
        arguments: [(true, "host.example"), (true, nil), (false, nil), (false, "client.example")]
            as [(Bool, String?)]
    )
    func `TLS policies return their properties`(server: Bool, host: String?) throws {
        let policy = SecPolicyCreateSSL(server, host.map { NSString(string: $0) })
        var expected: [String: AnyHashable] = ["SecPolicyOid": "1.2.840.113635.100.1.3"]
        if let host { expected["SecPolicyName"] = host }
        if !server { expected["SecPolicyClient"] = true }
        #expect(Self.properties(policy) == expected)
        let copied = try #require(SecPolicyCopyProperties(policy))
        let again = SecPolicyCreateWithProperties(kSecPolicyAppleSSL, copied)
        #expect(again == policy)
        #expect(again?.hash == policy.hash)
    }

    @Test(arguments: [
        kSecRevocationOCSPMethod, kSecRevocationCRLMethod, kSecRevocationUseAnyAvailableMethod,
        kSecRevocationPreferCRL | kSecRevocationUseAnyAvailableMethod, kSecRevocationNetworkAccessDisabled,
        kSecRevocationRequirePositiveResponse | kSecRevocationOCSPMethod,
    ])
    func `revocation policies return their flags`(flags: CFOptionFlags) throws {
        let policy = try #require(SecPolicyCreateRevocation(flags))
        let copied = try #require(SecPolicyCopyProperties(policy))
        #expect(copied[kSecPolicyOid] as? String == "1.2.840.113635.100.1.21")
        #expect(copied[kSecPolicyRevocationFlags] as? CFOptionFlags == flags)
        #expect(SecPolicyCreateWithProperties(kSecPolicyAppleRevocation, copied) == policy)
        #expect(policy != SecPolicyCreateBasicX509())
    }

    @Test func `revocation flags must not be 0 and default to any method`() {
        #expect(SecPolicyCreateRevocation(0) == nil)
        #expect(
            SecPolicyCreateWithProperties(kSecPolicyAppleRevocation, nil)
                == SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod)
        )
        let flags = [
            kSecRevocationOCSPMethod, kSecRevocationCRLMethod, kSecRevocationPreferCRL,
            kSecRevocationRequirePositiveResponse, kSecRevocationNetworkAccessDisabled,
            kSecRevocationUseAnyAvailableMethod,
        ]
        #expect(flags == [1, 2, 4, 8, 16, 3])
    }

    @Test(arguments: ["1.2.840.113635.100.1.8", "", "x"])
    func `an unknown policy identifier returns nil`(name: String) {
        #expect(SecPolicyCreateWithProperties(NSString(string: name), nil) == nil)
        #expect(SecPolicyCreateWithProperties(NSNumber(value: 3), nil) == nil)
    }

    /// If a property of the wrong type were ignored, a policy without a host name would accept every host.
    @Test(arguments: ["SecPolicyName", "SecPolicyClient"])
    func `a property of the wrong type returns nil`(property: String) {
        for value in [NSNull(), NSArray(), NSData(data: Data("host.example".utf8))] as [NSObject] {
            let properties = NSDictionary(object: value, forKey: NSString(string: property))
            #expect(SecPolicyCreateWithProperties(kSecPolicyAppleSSL, properties) == nil)
        }
    }

    @Test func `constants have Apple's values`() {
        let constants: [(CFString, String)] = [
            (kSecPolicyOid, "SecPolicyOid"), (kSecPolicyName, "SecPolicyName"),
            (kSecPolicyClient, "SecPolicyClient"), (kSecPolicyRevocationFlags, "SecPolicyRevocationFlags"),
            (kSecPolicyAppleRevocation, "1.2.840.113635.100.1.21"),
            (kSecTrustEvaluationDate, "TrustEvaluationDate"), (kSecTrustResultValue, "TrustResultValue"),
            (kSecTrustExtendedValidation, "TrustExtendedValidation"),
            (kSecTrustOrganizationName, "Organization"),
            (kSecTrustRevocationChecked, "TrustRevocationChecked"),
            (kSecTrustRevocationValidUntilDate, "TrustExpirationDate"),
            (kSecTrustCertificateTransparency, "TrustCertificateTransparency"),
            (kSecImportExportPassphrase, "passphrase"),
            (kSecImportToMemoryOnly, "memory"), (kSecImportItemLabel, "label"),
            (kSecImportItemKeyID, "keyid"),
            (kSecImportItemTrust, "trust"), (kSecImportItemCertChain, "chain"),
            (kSecImportItemIdentity, "identity"),
        ]
        for (constant, value) in constants { #expect(String(constant) == value) }
    }
}
