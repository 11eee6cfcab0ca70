// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An X.509 certificate; its type, issuer and serial number make it unique.
///
/// It is read and not verified. It has no secret: lists of certificates have their bytes.
public struct Certificate: KeychainItem {
    /// What the keychain knows of the item.
    public var content: ItemContent

    /// Makes an item of what the keychain knows.
    public init(content: ItemContent) { self.content = content }

    /// The class of certificates.
    public static var itemClass: KeychainItemClass { .certificate }

    /// Reads the DER of a certificate; what follows it is left out.
    ///
    /// - Throws: ``VaultError``; its reason is ``VaultError/Reason-swift.enum/invalidArgument`` for bytes that are no
    ///   certificate, and ``VaultError/Reason-swift.enum/unsupported`` in a build without the package trait `Objects`.
    public init(der: some Collection<UInt8>) throws(VaultError) {
        guard CertificateFacts.areSupported else { throw VaultError(.unsupported, .read) }
        guard let facts = CertificateFacts(Data(der)) else { throw VaultError(.invalidArgument, .read) }
        content = ItemContent()
        content.attributes = facts.attributes
        content.value = facts.der
    }

    /// Reads the first certificate of a PEM file.
    ///
    /// - Throws: ``VaultError``, as ``init(der:)``.
    public init(pem: String) throws(VaultError) {
        let begin = "-----BEGIN CERTIFICATE-----"
        let lines = pem.split(whereSeparator: \.isNewline).drop { !$0.hasPrefix(begin) }.dropFirst()
        let text = lines.prefix { !$0.hasPrefix("-----END") }.joined()
        guard let der = Data(base64Encoded: text, options: .ignoreUnknownCharacters), !der.isEmpty else {
            throw VaultError(.invalidArgument, .read)
        }
        try self.init(der: der)
    }

    /// The DER of the certificate; empty in a value that was not read from the keychain, and not from DER.
    public var der: [UInt8] { content.value.map { Array($0) } ?? [] }

    /// The name of the subject, as the user reads it; `nil` if there is none.
    public var subject: String? { facts?.subject }

    /// The bytes of the serial number.
    public var serialNumber: [UInt8]? { content[bytes: .serialNumber] }

    /// From when to when the certificate is valid; `nil` where the platform does not tell.
    public var validity: ClosedRange<Date>? { facts?.validity }

    private var facts: CertificateFacts? { content.value.flatMap { CertificateFacts($0) } }
}

extension ItemQuery<Certificate> {
    /// Matches certificates by what is given.
    public static func certificates(label: String? = nil, accessGroup: AccessGroup? = nil) -> Self {
        var query = Self()
        query.label = label.map { ItemString($0) }
        query.accessGroup = accessGroup
        return query
    }
}
