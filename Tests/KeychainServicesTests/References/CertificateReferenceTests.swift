// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct CertificateReferenceTests {
    private let authority: CertificateAuthority
    private let root: IssuedIdentity

    init() throws {
        authority = try CertificateAuthority()
        root = try authority.issue("canary root", email: "root@canary.example")
    }

    private func reference(_ issued: IssuedIdentity) -> Entries {
        [kSecValueRef as String: issued.certificate]
    }

    /// Returns the sorted summaries of the certificates that match a query.
    private func names(_ more: Entries = [:]) -> [String] {
        let query: Entries = [
            kSecClass as String: kSecClassCertificate, kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnRef as String: true,
        ]
        let certificates = find(query.adding(more)).result as? [SecCertificate] ?? []
        return certificates.map { (SecCertificateCopySubjectSummary($0) ?? "") as String }.sorted()
    }

    @Test func `a certificate added by reference is returned with derived attributes`() throws {
        let added = add(reference(root).adding([kSecReturnAttributes as String: true]))
        let attributes = try #require(added.result as? [String: Any])
        #expect(attributes[kSecAttrLabel as String] as? String == "canary root")
        #expect(attributes[kSecAttrCertificateType as String] as? Int == 3)
        #expect(attributes[kSecAttrCertificateEncoding as String] as? Int == 3)
        #expect(attributes[kSecAttrAccessible as String] as? String == kSecAttrAccessibleAlways as String)
        let key = try #require(issuedLabel(root))
        #expect(attributes[kSecAttrPublicKeyHash as String] as? Data == key)
        #expect(names() == ["canary root"])
        let query: Entries = [kSecClass as String: kSecClassCertificate, kSecReturnData as String: true]
        #expect(find(query).result as? Data == root.der)
    }

    private func issuedLabel(_ issued: IssuedIdentity) -> Data? {
        let attributes = SecKeyCopyAttributes(issued.privateKey) as? [String: Any]
        return attributes?[kSecAttrApplicationLabel as String] as? Data
    }

    @Test func `the same certificate is a duplicate regardless of its label`() {
        #expect(add(reference(root)).status == errSecSuccess)
        let labelled = reference(root).adding([kSecAttrLabel as String: "canary label"])
        #expect(add(labelled).status == errSecDuplicateItem)
        #expect(find(reference(root)).status == errSecSuccess)
        #expect(SecItemDelete(reference(root) as CFDictionary) == errSecSuccess)
        #expect(add(labelled).status == errSecSuccess)
        let query: Entries = [kSecAttrLabel as String: "canary label"]
        #expect(names(query) == ["canary root"])
    }

    @Test func `a certificate added as bytes gets no attributes, but is returned as an object`() throws {
        let raw: Entries = [kSecClass as String: kSecClassCertificate, kSecValueData as String: root.der]
        #expect(add(raw).status == errSecSuccess)
        #expect(names() == ["canary root"])
        #expect(find(reference(root)).status == errSecItemNotFound)
        let other = try authority.issue("canary other")
        let another: Entries = [
            kSecClass as String: kSecClassCertificate, kSecValueData as String: other.der,
        ]
        #expect(add(another).status == errSecDuplicateItem)
    }

    @Test func `an issuer matches with or without its SEQUENCE header, a subject only without`() throws {
        let leaf = try authority.issue("canary leaf", by: "canary root")
        for issued in [root, leaf] { #expect(add(reference(issued)).status == errSecSuccess) }
        let sequence = try #require(SecCertificateCopyNormalizedIssuerSequence(leaf.certificate) as Data?)
        let content = sequence.dropFirst(2)
        #expect(names([kSecAttrIssuer as String: sequence]) == ["canary leaf", "canary root"])
        #expect(names([kSecAttrIssuer as String: Data(content)]) == ["canary leaf", "canary root"])
        #expect(names([kSecAttrSubject as String: Data(content)]) == ["canary root"])
        #expect(names([kSecAttrSubject as String: sequence]).isEmpty)
        let serial = try #require(SecCertificateCopySerialNumberData(leaf.certificate, nil) as Data?)
        let one: Entries = [kSecAttrIssuer as String: sequence, kSecAttrSerialNumber as String: serial]
        #expect(names(one) == ["canary leaf"])
    }

    @Test func `kSecMatchIssuers follows the issuer chain`() throws {
        let middle = try authority.issue("canary middle", by: "canary root")
        let leaf = try authority.issue("canary leaf", by: "canary middle")
        let stranger = try authority.issue("canary stranger")
        for issued in [middle, leaf, stranger] { #expect(add(reference(issued)).status == errSecSuccess) }
        func sequence(_ issued: IssuedIdentity) throws -> Data {
            try #require(SecCertificateCopyNormalizedSubjectSequence(issued.certificate) as Data?)
        }
        let (first, last) = (try sequence(middle), try sequence(root))
        #expect(names([kSecMatchIssuers as String: [first]]) == ["canary leaf"])
        #expect(names([kSecMatchIssuers as String: [last]]) == ["canary leaf", "canary middle"])
        #expect(names([kSecMatchIssuers as String: [try sequence(leaf)]]).isEmpty)
        let ignored: [[Any]] = [[Data("no name".utf8)], ["text"], []]
        for issuers in ignored { #expect(names([kSecMatchIssuers as String: issuers]).count == 3) }
        #expect(names([kSecMatchIssuers as String: "no array"]).count == 3)
        #expect(names([kSecMatchIssuers as String: [Data(), last]]).count == 2)
    }

    @Test func `certificates are filtered by validity date`() throws {
        let brief = try authority.issue("canary brief", days: 1)
        for issued in [root, brief] { #expect(add(reference(issued)).status == errSecSuccess) }
        let day = 86_400.0
        let rows: [(date: Any, names: [String])] = [
            (Date(timeIntervalSinceNow: -day), []),
            (NSNull(), ["canary brief", "canary root"]),
            (Date(timeIntervalSinceNow: 60), ["canary brief", "canary root"]),
            (Date(timeIntervalSinceNow: 3 * day), ["canary root"]),
            (Date(timeIntervalSinceNow: 40 * day), []),
        ]
        for row in rows { #expect(names([kSecMatchValidOnDate as String: row.date]) == row.names) }
    }

    @Test func `certificates are filtered by email address, and one without any does not match`() throws {
        let plain = try authority.issue("canary plain")
        for issued in [root, plain] { #expect(add(reference(issued)).status == errSecSuccess) }
        let rows: [(address: String, names: [String])] = [
            ("root@canary.example", ["canary root"]), ("ROOT@Canary.Example", ["canary root"]),
            ("other@canary.example", []), ("", []),
        ]
        for row in rows {
            #expect(names([kSecMatchEmailAddressIfPresent as String: row.address]) == row.names)
        }
    }

    @Test func `the limit counts items that pass the match keys`() throws {
        let plain = try authority.issue("canary plain")
        for issued in [plain, root] { #expect(add(reference(issued)).status == errSecSuccess) }
        let query: Entries = [
            kSecClass as String: kSecClassCertificate, kSecReturnRef as String: true,
            kSecMatchEmailAddressIfPresent as String: "root@canary.example",
        ]
        #expect(find(query).result as? SecCertificate == root.certificate)
    }
}
