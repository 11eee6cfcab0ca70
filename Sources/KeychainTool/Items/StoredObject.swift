// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// The classes of items that objects stand for.
enum ObjectClass {
    case certificate, key, identity

    var constant: CFString {
        switch self {
        case .certificate: kSecClassCertificate
        case .key: kSecClassKey
        case .identity: kSecClassIdentity
        }
    }
}

/// A key, a certificate or an identity of the keychain, with its attributes.
struct StoredObject {
    let objectClass: ObjectClass
    let attributes: [String: Any]
    /// Whether the export leaves out the private key of the identity, because it is not extractable.
    private(set) var isStrippedOfKey = false

    /// Everything of a class that agrees in the attributes; ordered, because the keychain has no order.
    static func all(
        _ objectClass: ObjectClass,
        agreeingIn attributes: ItemDictionary = ItemDictionary(),
        in listing: Listing
    ) throws(Failure) -> [StoredObject] {
        var query = attributes
        query[kSecClass] = objectClass.constant
        for key in [kSecReturnAttributes, kSecReturnRef, kSecReturnPersistentRef] {
            query[key] = kCFBooleanTrue
        }
        return try listing.find(query).compactMap { $0 as? [String: Any] }
            .map { StoredObject(objectClass: objectClass, attributes: $0) }
            .sorted { $0.place.lexicographicallyPrecedes($1.place) }
    }

    // By name, then by what no two objects share, so that the order is the same every time.
    private var place: [String] {
        [label, BlobText.digits(certificate?.sha256Digest ?? applicationLabel), String(keyClass)]
    }

    private var object: AnyObject? { attributes[kSecValueRef as String] as AnyObject? }

    var key: SecKey? { object as? SecKey }
    var identity: SecIdentity? { object as? SecIdentity }

    /// The certificate itself, or that of the identity.
    var certificate: SecCertificate? {
        guard let identity else { return object as? SecCertificate }
        var certificate: SecCertificate?
        unsafe SecIdentityCopyCertificate(identity, &certificate)
        return certificate
    }

    /// The key itself, or that of the identity.
    var privateKey: SecKey? {
        guard let identity else { return keyClass == Self.privateClass ? key : nil }
        var key: SecKey?
        unsafe SecIdentityCopyPrivateKey(identity, &key)
        return key
    }

    /// What stands for the object in an export.
    var exportable: NSObject? { isStrippedOfKey ? certificate : object as? NSObject }

    /// The certificate of an identity without its key; `nil` for a key.
    var strippedOfKey: StoredObject? {
        guard identity != nil else { return nil }
        var stripped = self
        stripped.isStrippedOfKey = true
        return stripped
    }

    var reference: NSData? {
        (attributes[kSecValuePersistentRef as String] as? Data).map { NSData(data: $0) }
    }

    var label: String {
        switch attributes[kSecAttrLabel as String] {
        case let text as String: text
        case let data as Data: String(decoding: data, as: UTF8.self)
        default: ""
        }
    }

    var accessGroup: String? { attributes[kSecAttrAccessGroup as String] as? String }

    var applicationLabel: Data { attributes[kSecAttrApplicationLabel as String] as? Data ?? Data() }

    static let privateClass = 1

    /// 0 for a public key, 1 for a private one.
    var keyClass: Int { attributes[kSecAttrKeyClass as String] as? Int ?? -1 }

    /// Whether the private key may leave the keychain by `export`.
    var isExtractable: Bool { attributes[kSecAttrIsExtractable as String] as? Int != 0 }

    // MARK: Names

    /// The common name of the certificate.
    private var commonName: String? {
        guard let certificate else { return nil }
        var name: CFString?
        unsafe SecCertificateCopyCommonName(certificate, &name)
        return name as String?
    }

    var emailAddresses: [String] {
        guard let certificate else { return [] }
        var addresses: CFArray?
        unsafe SecCertificateCopyEmailAddresses(certificate, &addresses)
        return addresses as? [String] ?? []
    }

    /// What people know the certificate by.
    var names: [String] { [label, commonName].compactMap { $0 } }

    /// Whether a text is part of a name, in upper case or lower.
    func isNamed(_ text: String) -> Bool {
        names.contains { $0.lowercased().contains(text.lowercased()) }
    }
}

extension ScannedArguments {
    func warnOfOptionsWithoutEffect() {
        if has("any-application") || has("trusted-application") { Warning.applicationsWithoutEffect.give() }
    }
}
