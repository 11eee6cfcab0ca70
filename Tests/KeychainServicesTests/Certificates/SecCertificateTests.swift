// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects
import KeychainTestSupport
import Testing

@testable import KeychainServices

/// The `SecCertificate` functions, called with the certificates in `Tests/Fixtures`.
@Suite struct SecCertificateTests {
    @Test(arguments: try CertificateFile.all())
    func `a certificate returns the bytes it was created from`(file: CertificateFile) throws {
        let data = try file.data()
        let certificate = try #require(SecCertificateCreateWithData(nil, data as CFData))
        #expect(SecCertificateCopyData(certificate) as Data == data)
        let longer = try #require(
            SecCertificateCreateWithData(kCFAllocatorDefault, data + [0, 1, 2] as CFData)
        )
        #expect(SecCertificateCopyData(longer) as Data == data)
    }

    @Test(arguments: [Data(), Data([0x30]), Data("-----BEGIN CERTIFICATE-----".utf8), Data(count: 1 << 20)])
    func `malformed data returns nil`(data: Data) {
        #expect(SecCertificateCreateWithData(nil, data as CFData) == nil)
    }

    @Test func `certificates with the same bytes are equal`() throws {
        let first = try certificate("p256")
        let second = try certificate("p256")
        #expect(first !== second && first == second && first.hash == second.hash)
        let other = try certificate("rsa")
        #expect(first.isEqual(second) && first != other)
        #expect(!first.isEqual("Example"))
        #expect(Set([first, second, other]).count == 2)
        #expect(first.description == "<SecCertificate: Example>")
        #expect(try certificate("no-subject").description == "<SecCertificate: no name>")
    }

    @Test(arguments: try CertificateFile.all())
    func `an item has the attributes derived from its certificate`(file: CertificateFile) throws {
        let certificate = try #require(SecCertificateCreateWithData(nil, try file.data() as CFData))
        let second = try file.secondReading()
        let derived = certificate.content.derivedAttributes
        func hex(_ attribute: Attribute) -> String? {
            guard case .data(let data)? = derived[attribute] else { return nil }
            return data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        #expect(derived[.certificateType] == .number(Int64(second.version)))
        #expect(derived[.certificateEncoding] == .number(3))
        #expect(hex(.issuer) == second.normalizedIssuer)
        #expect(hex(.subject) == second.normalizedSubject)
        #expect(hex(.serialNumber) == second.serialNumber)
        #expect(hex(.publicKeyHash) == second.publicKeyHash)
        #expect(hex(.subjectKeyID) == second.subjectKeyIdentifier)
        #expect(derived.entries.count == (second.subjectKeyIdentifier == nil ? 6 : 7))
        // Where a fixture has a subject key identifier, it is the SHA-1 digest of the public key, as openssl
        // computes it (RFC 5280, section 4.2.1.2).
        #expect(second.subjectKeyIdentifier == nil || hex(.publicKeyHash) == hex(.subjectKeyID))
        #expect(certificate.content.storedValue.bytes == Array(try file.data()))
    }

    @Test func `the default label is the summary, or absent if the certificate has no names`() throws {
        #expect(
            try certificate("two-common-names").content.inferredLabel == .string("Second, First (of two)")
        )
        #expect(try certificate("no-subject").content.inferredLabel == nil)
    }

    @Test func `a certificate returns its validity dates`() throws {
        let certificate = try certificate("p256")
        let first = try #require(SecCertificateCopyNotValidBeforeDate(certificate)) as Date
        let last = try #require(SecCertificateCopyNotValidAfterDate(certificate)) as Date
        #expect(first == certificate.notValidBefore && last == certificate.notValidAfter)
        #expect(first < last)
    }

    @Test func `the value of an item can be decoded as a certificate`() throws {
        let data = SecretBuffer(try CertificateFile.named("p256").data())
        #expect(ParsedCertificate(stored: data, attributes: Attributes())?.storedValue == data)
        #expect(ParsedCertificate(stored: SecretBuffer([1, 2, 3]), attributes: Attributes()) == nil)
        #expect(ParsedCertificate.itemClass == .certificate)
    }

    @Test(arguments: [("p256", 65), ("rsa", 270), ("ed25519", 32)] as [(String, Int?)])
    func `the key of a certificate is returned if it is supported`(name: String, size: Int?) throws {
        let key = SecCertificateCopyKey(try certificate(name))
        let bytes = key.flatMap { SecKeyCopyExternalRepresentation($0, nil) as Data? }
        #expect(bytes?.count == size)
        let attributes = key.flatMap { SecKeyCopyAttributes($0) as? [String: Any] }
        let label = attributes?[kSecAttrApplicationLabel as String] as? Data
        #expect(
            try label == nil
                || certificate(name).content.derivedAttributes[.publicKeyHash]
                    == label.map { .data(Array($0)) }
        )
        #expect((label == nil) == (size == nil))
    }

    private func certificate(_ name: String) throws -> SecCertificate {
        try #require(
            SecCertificateCreateWithData(nil, try CertificateFile.named(name).data() as CFData)
        )
    }
}
