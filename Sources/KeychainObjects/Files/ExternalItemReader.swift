// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import KeychainModel

/// Parses keys, certificates and identities in any supported format.
package struct ExternalItemReader {
    package struct Found {
        package var format: ExternalFormat
        package var type: ExternalItemType
        package var items: [KeychainObject]

        /// The number of private keys, including those of identities.
        package var privateKeyCount: Int { items.count { $0.key?.half == .private } }
    }

    /// The maximum size of the data to parse, in bytes.
    package static let largestSize = 16 * 1024 * 1024

    private let passphrase: SharedBytes?

    package init(passphrase: SharedBytes?) { self.passphrase = passphrase }

    /// Parses data after detecting its format; throws if it does not fit the given format and type.
    ///
    /// For the formats `bsafe` and `wrappedPKCS8`, all items must be keys; for `x509Certificate`, all items must be
    /// certificates. `pemSequence` allows every format except `pkcs12` and `sshV2`, each of which allows only itself.
    /// The formats `unknown` and `openSSL` and the types `unknown` and `aggregate` allow everything. The type of a
    /// PKCS #12 file is not checked.
    package func read(
        _ bytes: Data,
        as format: ExternalFormat,
        of type: ExternalItemType
    ) throws(StatusError) -> Found {
        guard Self.readable.contains(format), type != .sessionKey else {
            throw StatusError(.unsupportedFormat)
        }
        let found = try read(bytes)
        // Accept PKCS#12 for each type: scripts written for macOS import such files as certificates, although their
        // items are identities.
        guard found.fits(format), found.format == .pkcs12 || found.fits(type) else {
            throw StatusError(.unknownFormat)
        }
        return found
    }

    private static let readable: Set<ExternalFormat> = [
        .unknown, .openSSL, .bsafe, .wrappedPKCS8, .x509Certificate,
        .pemSequence,
        .pkcs12, .sshV2,
    ]

    private func read(_ bytes: Data) throws(StatusError) -> Found {
        guard !bytes.isEmpty, bytes.count <= Self.largestSize else { throw StatusError(.unknownFormat) }
        do {
            guard bytes.first != 0x30 else { return try der(bytes) }
            // Replacing invalid UTF-8 changes only text between PEM blocks, because the blocks are ASCII.
            let text = String(decoding: bytes, as: UTF8.self)
            return try text.contains("-----BEGIN ") ? pem(text) : openSSH(text)
        } catch let error as AsymmetricKeyError {
            throw StatusError(error.importStatus)
        } catch let error as StatusError {
            throw error
        } catch {
            throw StatusError(.internalInconsistency)
        }
    }

    // MARK: DER

    private func der(_ bytes: Data) throws -> Found {
        if Self.isArchive(bytes) { return try archive(bytes) }
        // A PKCS#7 message starts with an object identifier whose prefix is 1.2.840.113549.1.7.
        if bytes.prefix(16).firstRange(of: Self.pkcs7) != nil { throw StatusError(.unsupportedFormat) }
        // Within the outer SEQUENCE, a certificate starts with a SEQUENCE and a private key with an INTEGER. Check this
        // first, so that no private key is copied by an attempt to parse it as a certificate.
        if Self.isNested(bytes), (try? ParsedCertificate(parsing: bytes)) != nil {
            let certificate = try Self.certificate(bytes)
            return Found(format: .x509Certificate, type: .certificate, items: [.certificate(certificate)])
        }
        do {
            let key = try AsymmetricKey(der: bytes)
            return Found(format: .openSSL, type: key.externalType, items: [.key(key)])
        } catch AsymmetricKeyError.encryptedKey {
            let key = try decrypted(bytes)
            return Found(format: .wrappedPKCS8, type: .privateKey, items: [.key(key)])
        }
    }

    private static let pkcs7 = Data([0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07])

    /// Whether the data starts like a PKCS #12 file.
    ///
    /// Such a file is a SEQUENCE that contains the version (the INTEGER 3) and another SEQUENCE. The length of the file
    /// may be encoded in any form.
    private static func isArchive(_ bytes: Data) -> Bool {
        content(of: bytes).starts(with: [0x02, 0x01, 0x03, 0x30])
    }

    /// Whether a SEQUENCE starts with another SEQUENCE.
    private static func isNested(_ bytes: Data) -> Bool { content(of: bytes).first == 0x30 }

    /// Returns the content of an element, after its tag and length.
    private static func content(of bytes: Data) -> Data {
        guard let length = bytes.dropFirst().first else { return Data() }
        return bytes.dropFirst(length > 0x80 ? 2 + Int(length & 0x7f) : 2)
    }

    /// Parses a certificate; throws for trailing data, which would be lost silently.
    ///
    /// `andMore` allows trailing data.
    private static func certificate(_ bytes: Data, andMore: Bool = false) throws -> ParsedCertificate {
        guard let certificate = try? ParsedCertificate(parsing: bytes),
            andMore || certificate.der.count == bytes.count
        else { throw AsymmetricKeyError.malformedKey }
        return certificate
    }

    private func decrypted(_ bytes: Data) throws -> AsymmetricKey {
        guard let passphrase else { throw StatusError(.passphraseRequired) }
        var pkcs8 = try EncryptedKey.open(bytes, passphrase: passphrase).data
        defer { pkcs8.erase() }
        return try AsymmetricKey(pkcs8: pkcs8)
    }

    // MARK: Text

    private func pem(_ text: String) throws -> Found {
        var items: [KeychainObject] = []
        var (isWrapped, isOpenSSH) = (false, false)
        for var block in try PEMBlock.all(in: text) {
            defer { block.bytes.erase() }
            switch block.label {
            case "CERTIFICATE", "X509 CERTIFICATE":
                items.append(.certificate(try Self.certificate(block.bytes)))
            // In a block with this label, OpenSSL appends trust settings to the certificate.
            case "TRUSTED CERTIFICATE":
                items.append(.certificate(try Self.certificate(block.bytes, andMore: true)))
            case "ENCRYPTED PRIVATE KEY":
                items.append(.key(try decrypted(block.bytes)))
                isWrapped = true
            case "PKCS7", "CMS", "PKCS #7 SIGNED DATA": throw StatusError(.unsupportedFormat)
            default:
                guard let key = try AsymmetricKey(block) else { continue }
                items.append(.key(key))
                isOpenSSH = block.label == OpenSSHPrivateKey.label
            }
        }
        guard let first = items.first else { throw AsymmetricKeyError.malformedKey }
        guard items.count == 1 else {
            return Found(format: .pemSequence, type: .aggregate, items: items)
        }
        guard let key = first.key else {
            return Found(format: .x509Certificate, type: .certificate, items: items)
        }
        return Found(
            format: isWrapped ? .wrappedPKCS8 : isOpenSSH ? .sshV2 : .openSSL,
            type: key.externalType,
            items: items
        )
    }

    /// Parses lines, each of which is a key, a comment or empty.
    private func openSSH(_ text: String) throws -> Found {
        var keys: [AsymmetricKey] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.drop(while: \.isWhitespace)
            guard !words.isEmpty, !words.hasPrefix("#") else { continue }
            keys.append(try AsymmetricKey(file: Data(words.utf8)))
        }
        guard !keys.isEmpty else { throw AsymmetricKeyError.malformedKey }
        let type: ExternalItemType = keys.count == 1 ? .publicKey : .aggregate
        return Found(format: .sshV2, type: type, items: keys.map { .key($0) })
    }

    // MARK: Archives

    private func archive(_ bytes: Data) throws -> Found {
        do {
            let archive = try PKCS12Archive(bytes, passphrase: passphrase ?? SharedBytes([]))
            return Found(
                format: .pkcs12,
                type: .aggregate,
                items: try Self.items(of: ArchiveContents(archive))
            )
        } catch let error as StatusError where error.status == .authenticationFailed {
            throw StatusError(passphrase == nil ? .passphraseRequired : .pkcs12VerificationFailed)
        }
    }

    /// Combines matching keys and certificates into identities, and appends the remaining ones.
    private static func items(of contents: ArchiveContents) throws -> [KeychainObject] {
        var identities: [Identity] = []
        var keys: [AsymmetricKey] = []
        for (_, key) in contents.keys {
            let own = contents.certificates(of: key).compactMap {
                Identity(contents.certificates[$0].object, key)
            }
            if own.isEmpty { keys.append(key) }
            identities += own
        }
        let named = Set(identities.map(\.certificate))
        let others = contents.certificates.map(\.object).filter { !named.contains($0) }
        let items: [KeychainObject] =
            identities.map { .identity($0) } + keys.map { .key($0) } + others.map { .certificate($0) }
        guard !items.isEmpty else { throw StatusError(.undecodable) }
        return items
    }
}

extension ExternalItemReader.Found {
    fileprivate func fits(_ wanted: ExternalFormat) -> Bool {
        switch wanted {
        case .bsafe, .wrappedPKCS8: items.allSatisfy(\.isKey)
        case .x509Certificate: items.allSatisfy(\.isCertificate)
        case .pemSequence: ![.pkcs12, .sshV2].contains(format)
        case .pkcs12, .sshV2: format == wanted
        default: true
        }
    }

    fileprivate func fits(_ wanted: ExternalItemType) -> Bool {
        switch wanted {
        case .certificate: items.allSatisfy(\.isCertificate)
        case .privateKey, .publicKey:
            items.allSatisfy { $0.isKey && $0.key?.externalType == wanted }
        default: true
        }
    }
}

extension KeychainObject {
    fileprivate var isKey: Bool { if case .key = self { true } else { false } }
    fileprivate var isCertificate: Bool { if case .certificate = self { true } else { false } }
}

extension AsymmetricKey {
    fileprivate var externalType: ExternalItemType { half == .private ? .privateKey : .publicKey }
}

extension AsymmetricKeyError {
    fileprivate var importStatus: Status {
        switch self {
        // Keys with OpenSSL's legacy encryption or OpenSSH's encryption are not supported, even with the passphrase.
        case .unsupportedKey, .encryptedKey: .unsupportedFormat
        default: .unknownFormat
        }
    }
}
