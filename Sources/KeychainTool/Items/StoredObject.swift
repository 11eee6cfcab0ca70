// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel
import KeychainObjects

/// A key, a certificate or an identity of the keychain, with its attributes.
struct StoredObject {
    let found: FoundItem
    /// The key, certificate or identity; `nil` if the bytes are invalid or were not read.
    let object: KeychainObject?
    /// Whether the export leaves out the private key of the identity, because it is not extractable.
    private(set) var isStrippedOfKey = false

    init(_ found: FoundItem) {
        self.found = found
        object = KeychainObject(found)
    }

    /// All matching objects of a class, in a stable order.
    static func all(
        _ itemClass: ItemClass,
        with attributes: Attributes = Attributes(),
        passing test: CertificateTest = CertificateTest(),
        withData: Bool = true,
        in listing: Listing
    ) throws(Failure) -> [StoredObject] {
        try listing.objects(itemClass, with: attributes, passing: test, withData: withData)
            .sorted { $0.sortKey.lexicographicallyPrecedes($1.sortKey) }
    }

    // Objects are sorted by label, then by certificate digest or application label, and then by key class, so
    // that the order is stable.
    private var sortKey: [String] {
        [label, BlobText.digits(certificate?.sha256Digest ?? applicationLabel), String(keyClass)]
    }

    var itemClass: ItemClass { found.reference.itemClass }
    var attributes: Attributes { found.attributes }

    /// The certificate, or the certificate of an identity; `nil` for a key or if ``object`` is `nil`.
    var certificate: ParsedCertificate? { object?.certificate }

    /// The private key, or the private key of an identity; `nil` for any other ``object`` or if it is `nil`.
    var privateKey: AsymmetricKey? { object?.key.flatMap { $0.half == .private ? $0 : nil } }

    /// The object to export: for an identity without its private key, only the certificate.
    ///
    /// It is `nil` if the bytes are invalid or were not read.
    var exportable: KeychainObject? {
        isStrippedOfKey ? certificate.map { .certificate($0) } : object
    }

    /// The identity with ``isStrippedOfKey`` set; `nil` for a key or a certificate, or if ``object`` is `nil`.
    var strippedOfKey: StoredObject? {
        guard case .identity = object else { return nil }
        var stripped = self
        stripped.isStrippedOfKey = true
        return stripped
    }

    var label: String {
        switch attributes[.label] {
        case .string(let text): text
        case .data(let data): String(decoding: data, as: UTF8.self)
        default: ""
        }
    }

    var accessGroup: String? {
        guard case .string(let group) = attributes[.accessGroup] else { return nil }
        return group
    }

    var applicationLabel: Data {
        guard case .data(let label) = attributes[.applicationLabel] else { return Data() }
        return Data(label)
    }

    /// The key class: 0 for a public key, 1 for a private key, -1 without the attribute.
    private var keyClass: Int64 {
        guard case .number(let number) = attributes[.keyClass] else { return -1 }
        return number
    }

    var isPrivateKey: Bool { keyClass == KeyHalf.private.rawValue }

    /// Whether `export` may export the private key.
    var isExtractable: Bool { attributes[.isExtractable] != .number(0) }

    // MARK: Names

    var emailAddresses: [String] { certificate?.emailAddresses ?? [] }

    /// The label, and the common name of the certificate.
    var names: [String] { [label, certificate?.commonNames.last].compactMap { $0 } }

    /// Whether a name contains a string, ignoring case.
    func isNamed(_ text: String) -> Bool {
        names.contains { $0.lowercased().contains(text.lowercased()) }
    }
}

extension ScannedArguments {
    func warnOfOptionsWithoutEffect() {
        if has("any-application") || has("trusted-application") { Warning.applicationsWithoutEffect.give() }
    }
}
