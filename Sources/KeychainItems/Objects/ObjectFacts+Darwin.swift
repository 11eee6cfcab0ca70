// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation
import KeychainModel
import Security

struct CertificateFacts {
    private let certificate: SecCertificate

    init?(_ der: Data) {
        guard let certificate = SecCertificateCreateWithData(nil, der as CFData) else { return nil }
        self.certificate = certificate
    }

    static var areSupported: Bool { true }

    var der: Data { SecCertificateCopyData(certificate) as Data }
    var subject: String? { SecCertificateCopySubjectSummary(certificate) as String? }

    /// Always `nil`, because Security.framework has no function for the validity period.
    var validity: ClosedRange<Date>? { nil }

    var attributes: Attributes {
        var attributes = Attributes()
        attributes[.issuer] = SecCertificateCopyNormalizedIssuerSequence(certificate)
            .map { .data(Array($0 as Data)) }
        attributes[.serialNumber] = SecCertificateCopySerialNumberData(certificate, nil)
            .map { .data(Array($0 as Data)) }
        let key = SecCertificateCopyKey(certificate).flatMap { SecKeyCopyAttributes($0) as? [String: Any] }
        attributes[.publicKeyHash] = (key?[kSecAttrApplicationLabel as String] as? Data).map {
            .data(Array($0))
        }
        attributes[.label] = subject.map { .string($0) }
        return attributes
    }
}

struct KeyFacts {
    let attributes: Attributes
    let bytes: SecretBuffer

    init?(_ bytes: Data, _ type: Key.KeyType, _ half: Key.Half) {
        let description: [CFString: Any] = [
            kSecAttrKeyType: type == .rsa ? kSecAttrKeyTypeRSA : kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeyClass: half == .private ? kSecAttrKeyClassPrivate : kSecAttrKeyClassPublic,
        ]
        guard let key = SecKeyCreateWithData(bytes as CFData, description as CFDictionary, nil),
            let found = SecKeyCopyAttributes(key) as? [CFString: Any]
        else { return nil }
        var attributes = Attributes()
        attributes[.type] = .number(type == .rsa ? 42 : 73)
        attributes[.keyClass] = .number(half == .private ? 1 : 0)
        attributes[.applicationLabel] = (found[kSecAttrApplicationLabel] as? Data).map { .data(Array($0)) }
        attributes[.keySizeInBits] = (found[kSecAttrKeySizeInBits] as? Int).map { .number(Int64($0)) }
        attributes[.effectiveKeySize] = attributes[.keySizeInBits]
        self.attributes = attributes
        self.bytes = SecretBytes(bytes).buffer
    }

    init(pem: String) throws(VaultError) { throw VaultError(.unsupported, .read) }

    static func pkcs8(_ bytes: Data, _ type: Key.KeyType) throws(VaultError) -> SecretBytes {
        throw VaultError(.unsupported, .read)
    }
}
#endif
