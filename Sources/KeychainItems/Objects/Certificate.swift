// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An X.509 certificate, identified by type, issuer and serial number.
///
/// The certificate is parsed but not verified. It has no secret, so a list of certificates includes their
/// DER encoding.
public struct Certificate: KeychainItem {
    /// The stored attributes of the item.
    public var content: ItemContent

    /// Creates an item from stored attributes.
    public init(content: ItemContent) { self.content = content }

    /// The item class of certificates.
    public static var itemClass: KeychainItemClass { .certificate }

    /// Reads a DER-encoded certificate.
    ///
    /// - Parameter der: The encoded certificate. Trailing bytes are ignored.
    /// - Throws: ``VaultError``. Its reason is ``VaultError/Reason-swift.enum/invalidArgument`` if the bytes
    ///   are not a certificate, and ``VaultError/Reason-swift.enum/unsupported`` in a build without the
    ///   package trait `Objects`.
    public init(der: some Collection<UInt8>) throws(VaultError) {
        guard CertificateFacts.areSupported else { throw VaultError(.unsupported, .read) }
        guard let facts = CertificateFacts(Data(der)) else { throw VaultError(.invalidArgument, .read) }
        content = ItemContent()
        content.attributes = facts.attributes
        content.value = SecretBuffer(facts.der)
    }

    /// Reads the first certificate of a PEM file.
    ///
    /// - Parameter pem: The contents of the file.
    /// - Throws: ``VaultError``, as ``init(der:)`` does.
    public init(pem: String) throws(VaultError) {
        let begin = "-----BEGIN CERTIFICATE-----"
        let lines = pem.split(whereSeparator: \.isNewline).drop { !$0.hasPrefix(begin) }.dropFirst()
        let text = lines.prefix { !$0.hasPrefix("-----END") }.joined()
        guard let der = Data(base64Encoded: text, options: .ignoreUnknownCharacters), !der.isEmpty else {
            throw VaultError(.invalidArgument, .read)
        }
        try self.init(der: der)
    }

    /// The DER encoding of the certificate.
    ///
    /// It is empty if this certificate was neither read from the keychain nor created from DER or PEM.
    public var der: [UInt8] { content.value?.bytes ?? [] }

    /// A short description of the subject; `nil` if the certificate has no readable name or no ``der``.
    ///
    /// In a build without the package trait `Objects`, it is always `nil`.
    public var subject: String? { facts?.subject }

    /// The bytes of the serial number; `nil` if the item has none.
    public var serialNumber: [UInt8]? { content[bytes: .serialNumber] }

    /// The validity period; `nil` if the period ends before it starts, or if ``der`` is empty or malformed.
    ///
    /// On Apple's platforms, and in a build without the package trait `Objects`, it is always `nil`.
    public var validity: ClosedRange<Date>? { facts?.validity }

    private var facts: CertificateFacts? { content.value.flatMap { CertificateFacts(SecretBytes($0).data) } }
}

extension ItemQuery<Certificate> {
    /// Creates a query for certificates that have the given attributes.
    public static func certificates(label: String? = nil, accessGroup: AccessGroup? = nil) -> Self {
        var query = Self()
        query.label = label.map { ItemString($0) }
        query.accessGroup = accessGroup
        return query
    }
}
