// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// The match keys for which a certificate has to be judged, with the package trait and without it.
@Suite(.searchedKeychain) struct TrustMatchTests {
    #if Trust
    /// A certificate that signed itself is trusted by nobody.
    private static let judged = errSecItemNotFound
    #else
    private static let judged = errSecUnimplemented
    #endif

    private static let keys: [@Sendable () -> Entries] = [
        { [kSecMatchTrustedOnly as String: true] },
        { [kSecMatchPolicy as String: SecPolicyCreateBasicX509()] },
        { [kSecMatchPolicy as String: SecPolicyCreateBasicX509(), kSecMatchTrustedOnly as String: true] },
    ]

    @Test(arguments: keys.indices, ["cert", "idnt"])
    func `a certificate is judged, or the status says that nobody can`(place: Int, itemClass: String) throws {
        let query = Self.keys[place]().adding([kSecClass as String: itemClass])
        #expect(find(query).status == errSecItemNotFound)
        let issued = try SharedIdentities.both.get()[0]
        let item: Entries = [kSecValueRef as String: try #require(issued.identity)]
        #expect(add(item).status == errSecSuccess)
        #expect(find(query).status == Self.judged)
        let foreign = query.adding([kSecAttrLabel as String: "canary other"])
        #expect(find(foreign).status == errSecItemNotFound)
    }

    @Test func `bytes that are no certificate are not judged`() {
        let item: Entries = [
            kSecClass as String: kSecClassCertificate, kSecValueData as String: Data("canary".utf8),
        ]
        #expect(add(item).status == errSecSuccess)
        #expect(find(item.adding([kSecMatchTrustedOnly as String: true])).status == errSecItemNotFound)
    }

    @Test(arguments: ["genp", "inet", "keys"])
    func `other classes have no policy and need no trust`(itemClass: String) {
        let query: Entries = [kSecClass as String: itemClass]
        #expect(add(query).status == errSecSuccess)
        #expect(find(query.adding(Self.keys[0]())).status == errSecSuccess)
        #expect(find(query.adding(Self.keys[1]())).status == errSecUnimplemented)
    }
}
