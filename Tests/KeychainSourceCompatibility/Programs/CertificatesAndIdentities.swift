// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program is in the style of Apple's articles about certificates and identities.

enum CertificateItems {
    static func add(_ der: Data, label: String) -> OSStatus {
        guard let certificate = SecCertificateCreateWithData(nil, der as CFData) else { return errSecDecode }
        let query: [String: Any] = [
            kSecClass as String: kSecClassCertificate, kSecValueRef as String: certificate,
            kSecAttrLabel as String: label,
        ]
        return SecItemAdd(query as CFDictionary, nil)
    }

    static func find(label: String) -> SecCertificate? {
        let query: [String: Any] = [
            kSecClass as String: kSecClassCertificate,
            kSecAttrLabel as String: label,
            kSecReturnRef as String: kCFBooleanTrue as Any,
        ]
        var item: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess else { return nil }
        guard let found = item, CFGetTypeID(found) == SecCertificateGetTypeID() else { return nil }
        return (found as! SecCertificate)
    }

    static func summary(_ certificate: SecCertificate) -> [String] {
        var name: CFString?
        SecCertificateCopyCommonName(certificate, &name)
        let summary = SecCertificateCopySubjectSummary(certificate) as String?
        let data = SecCertificateCopyData(certificate) as Data
        let serial = SecCertificateCopySerialNumberData(certificate, nil) as Data?
        return [summary ?? "", name as String? ?? "", "\(data.count > 0)", "\(serial?.isEmpty == false)"]
    }
}

enum Identities {
    static func find(label: String) -> SecIdentity? {
        let query: [String: Any] = [
            kSecClass as String: kSecClassIdentity, kSecReturnRef as String: true,
            kSecMatchLimit as String: kSecMatchLimitOne, kSecAttrLabel as String: label,
        ]
        var item: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess else { return nil }
        return (item as! SecIdentity)
    }

    static func parts(_ identity: SecIdentity) throws -> (certificate: SecCertificate, key: SecKey) {
        var certificate: SecCertificate?
        var status = SecIdentityCopyCertificate(identity, &certificate)
        guard status == errSecSuccess, let certificate = certificate else {
            throw Keys.Failure(text: "\(status)")
        }
        var key: SecKey?
        status = SecIdentityCopyPrivateKey(identity, &key)
        guard status == errSecSuccess, let privateKey = key else { throw Keys.Failure(text: "\(status)") }
        return (certificate, privateKey)
    }

    static func importFile(_ data: Data, password: String) throws -> SecIdentity {
        let options = [kSecImportExportPassphrase as String: password]
        var rawItems: CFArray?
        let status = SecPKCS12Import(data as CFData, options as CFDictionary, &rawItems)
        guard status == errSecSuccess else {
            throw NSError(domain: NSOSStatusErrorDomain, code: Int(status), userInfo: nil)
        }
        let items = rawItems! as! [[String: Any]]
        let first = items[0]
        let identity = first[kSecImportItemIdentity as String] as! SecIdentity?
        guard let found = identity else { throw Keys.Failure(text: "no identity") }
        return found
    }

    static func store(_ identity: SecIdentity, label: String) -> OSStatus {
        let query = [kSecValueRef: identity, kSecAttrLabel: label] as [CFString: Any]
        return SecItemAdd(query as CFDictionary, nil)
    }
}
