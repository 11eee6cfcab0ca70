// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// Match keys that evaluate certificates, with and without the package trait `Trust`.
@Suite(.searchedKeychain) struct TrustMatchTests {
    // The status of a search with one of `keys` that finds only a self-signed certificate. With the trait, the
    // certificate is evaluated and does not match; without it, it cannot be evaluated.
    #if Trust
    private static let untrustedStatus = errSecItemNotFound
    #else
    private static let untrustedStatus = errSecUnimplemented
    #endif

    private static let keys: [@Sendable () -> Entries] = [
        { [kSecMatchTrustedOnly as String: true] },
        { [kSecMatchPolicy as String: SecPolicyCreateBasicX509()] },
        { [kSecMatchPolicy as String: SecPolicyCreateBasicX509(), kSecMatchTrustedOnly as String: true] },
    ]

    @Test(arguments: keys.indices, ["cert", "idnt"])
    func `certificates are evaluated, or errSecUnimplemented without the trait`(
        index: Int,
        itemClass: String
    ) throws {
        let query = Self.keys[index]().adding([kSecClass as String: itemClass])
        #expect(find(query).status == errSecItemNotFound)
        let issued = try SharedIdentities.both.get()[0]
        let item: Entries = [kSecValueRef as String: try #require(issued.identity)]
        #expect(add(item).status == errSecSuccess)
        #expect(find(query).status == Self.untrustedStatus)
        let foreign = query.adding([kSecAttrLabel as String: "canary other"])
        #expect(find(foreign).status == errSecItemNotFound)
    }

    #if Trust
    /// Returns a root certificate of the system that is valid today; fails if the system has no valid one.
    private static func root() throws -> Data {
        let bundle = try String(contentsOfFile: "/etc/ssl/certs/ca-certificates.crt", encoding: .utf8)
        let roots = bundle.split(separator: "-----").map { $0.filter { !$0.isNewline } }
            .compactMap { Data(base64Encoded: $0) }
        let valid = roots.first { root in
            guard let certificate = SecCertificateCreateWithData(nil, root as CFData) else { return false }
            var trust: SecTrust?
            SecTrustCreateWithCertificates(certificate, SecPolicyCreateBasicX509(), &trust)
            return trust.map { SecTrustEvaluateWithError($0, nil) } ?? false
        }
        return try #require(valid)
    }

    @Test(arguments: keys.indices)
    func `a system root is found, but not for a date before its validity`(index: Int) throws {
        let certificate = try #require(SecCertificateCreateWithData(nil, Self.root() as CFData))
        let issued = try SharedIdentities.both.get()[0]
        for item in [certificate, issued.certificate] {
            #expect(add([kSecValueRef as String: item]).status == errSecSuccess)
        }
        let query = Self.keys[index]().adding([
            kSecClass as String: kSecClassCertificate, kSecReturnRef as String: true,
            kSecMatchLimit as String: kSecMatchLimitAll,
        ])
        #expect(find(query).result as? [SecCertificate] == [certificate])
        let early = NSDate(timeIntervalSince1970: 631_152_000)
        #expect(find(query.adding([kSecMatchValidOnDate as String: early])).status == errSecItemNotFound)
        let server: Entries = [kSecMatchPolicy as String: SecPolicyCreateSSL(true, "localhost." as CFString)]
        #expect(find(query.adding(server)).status == errSecItemNotFound)
    }

    /// The certificate has an extension whose object identifier contains a UUID, which swift-certificates
    /// cannot parse.
    @Test(arguments: keys.indices)
    func `a certificate that cannot be evaluated is not found`(index: Int) throws {
        let folder = try OpenSSLFolder()
        try folder.openssl(
            "req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout k.key -out k.pem -days 30"
                + " -subj /CN=canary -addext 2.25.305821105408246119474742976030998643995=DER:0500"
        )
        let der = try folder.certificate("k.pem")
        let certificate = try #require(SecCertificateCreateWithData(nil, der as CFData))
        #expect(add([kSecValueRef as String: certificate]).status == errSecSuccess)
        let query = Self.keys[index]().adding([kSecClass as String: kSecClassCertificate])
        #expect(find(query).status == errSecItemNotFound)
    }
    #endif

    @Test func `malformed certificate data is not evaluated`() {
        let item: Entries = [
            kSecClass as String: kSecClassCertificate, kSecValueData as String: Data("canary".utf8),
        ]
        #expect(add(item).status == errSecSuccess)
        #expect(find(item.adding([kSecMatchTrustedOnly as String: true])).status == errSecItemNotFound)
    }

    @Test(arguments: ["genp", "inet", "keys"])
    func `for other classes, kSecMatchPolicy is rejected, kSecMatchTrustedOnly ignored`(itemClass: String) {
        let query: Entries = [kSecClass as String: itemClass]
        #expect(add(query).status == errSecSuccess)
        #expect(find(query.adding(Self.keys[0]())).status == errSecSuccess)
        #expect(find(query.adding(Self.keys[1]())).status == errSecUnimplemented)
    }
}
