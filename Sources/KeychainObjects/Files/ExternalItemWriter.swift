// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import KeychainModel

package struct ExternalItemWriter {
    private let isArmoured: Bool
    private let passphrase: SharedBytes?
    private let writesOpenSSHPrivateKeys: Bool

    /// Creates a writer.
    ///
    /// `passphrase` is used for formats that need one; `isArmoured` selects PEM for a single item. Apple's
    /// platforms write no private keys in OpenSSH's format, so `writesOpenSSHPrivateKeys` must request it.
    package init(isArmoured: Bool, passphrase: SharedBytes?, writesOpenSSHPrivateKeys: Bool = false) {
        self.writesOpenSSHPrivateKeys = writesOpenSSHPrivateKeys
        self.isArmoured = isArmoured
        self.passphrase = passphrase
    }

    /// Serializes objects, without duplicates.
    ///
    /// An identity is written as its certificate and key.
    package func write(
        _ objects: [KeychainObject],
        as format: ExternalFormat
    ) throws(StatusError) -> Data {
        let items = Self.halves(of: objects)
        guard !items.isEmpty else { throw StatusError(.invalidParameter) }
        do {
            return try write(halves: items, as: format)
        } catch let error as AsymmetricKeyError {
            throw StatusError(error.status)
        } catch let error as StatusError {
            throw error
        } catch {
            throw StatusError(.internalInconsistency)
        }
    }

    private static func halves(of objects: [KeychainObject]) -> [KeychainObject] {
        // A key shared by two identities is written once.
        var seen: Set<KeychainObject> = []
        return objects.flatMap(\.halves).filter { seen.insert($0).inserted }
    }

    private func write(halves items: [KeychainObject], as format: ExternalFormat) throws -> Data {
        switch format {
        case .pkcs12: return try archive(of: items)
        case .pemSequence: return try pem(items, .unknown)
        case .sshV2: return try openSSH(items)
        default: break
        }
        guard items.count == 1, !isArmoured, let item = items.first else { return try pem(items, format) }
        return try block(item, format).bytes
    }

    // MARK: PEM blocks

    private func pem(_ items: [KeychainObject], _ format: ExternalFormat) throws -> Data {
        var text = Data()
        for item in items {
            // If there are several items, a private key format applies only to the private keys.
            let isApplicable = items.count == 1 || !Self.keyForms.contains(format) || Self.isPrivate(item)
            var block = try block(item, isApplicable ? format : .unknown)
            defer { block.bytes.erase() }
            text += Data(block.text.utf8)
        }
        return text
    }

    private static let keyForms: Set<ExternalFormat> = [.wrappedPKCS8, .bsafe]

    private static func isPrivate(_ item: KeychainObject) -> Bool { item.key?.half == .private }

    private func block(_ item: KeychainObject, _ format: ExternalFormat) throws -> PEMBlock {
        if let certificate = item.certificate {
            guard [.unknown, .x509Certificate, .openSSL].contains(format) else {
                throw StatusError(.unsupportedFormat)
            }
            return PEMBlock(label: "CERTIFICATE", bytes: certificate.der)
        }
        guard let key = item.key else { throw StatusError(.invalidParameter) }
        if format == .wrappedPKCS8 { return try wrapped(key) }
        guard let form = Self.form(of: key, as: format), form.label(for: key.half) != nil else {
            throw StatusError(.unsupportedFormat)
        }
        return try key.exportedBlock(as: form)
    }

    /// Returns the key format for an export format; `nil` if the key does not support it.
    private static func form(of key: AsymmetricKey, as format: ExternalFormat) -> KeyFormat? {
        switch (format, key.half, key.type) {
        case (.unknown, .private, .rsa), (.openSSL, .private, .rsa): .pkcs1
        case (.unknown, .private, .ellipticCurve), (.openSSL, .private, .ellipticCurve): .sec1
        case (.unknown, .private, .ed25519), (.openSSL, .private, .ed25519): .pkcs8
        case (.unknown, .public, _), (.openSSL, .public, _): .subjectPublicKeyInfo
        case (.bsafe, .private, _): .pkcs8
        case (.bsafe, .public, .rsa): .pkcs1
        default: nil
        }
    }

    private func wrapped(_ key: AsymmetricKey) throws -> PEMBlock {
        guard key.half == .private else { throw StatusError(.unsupportedFormat) }
        guard let passphrase else { throw StatusError(.passphraseRequired) }
        return PEMBlock(
            label: "ENCRYPTED PRIVATE KEY",
            bytes: try EncryptedKey.seal(Self.pkcs8(key), passphrase: passphrase)
        )
    }

    private static func pkcs8(_ key: AsymmetricKey) throws -> SharedBytes {
        var bytes = try key.exported(as: .pkcs8)
        defer { bytes.erase() }
        return SharedBytes(bytes)
    }

    private func openSSH(_ items: [KeychainObject]) throws -> Data {
        var lines = Data()
        for item in items {
            guard let key = item.key else { throw StatusError(.unsupportedFormat) }
            guard key.half == .public else {
                guard writesOpenSSHPrivateKeys else { throw StatusError(.unsupportedFormat) }
                var block = try key.exportedBlock(as: .openSSH)
                defer { block.bytes.erase() }
                lines += Data(block.text.utf8)
                continue
            }
            lines += try key.exported(as: .openSSH) + Data("\n".utf8)
        }
        return lines
    }

    // MARK: Archives

    private func archive(of items: [KeychainObject]) throws -> Data {
        guard let passphrase else { throw StatusError(.passphraseRequired) }
        let allKeys = items.compactMap(\.key)
        let keys = allKeys.filter { $0.half == .private }
        let own = Set(keys.map(\.applicationLabel))
        // An archive can contain a public key only as part of its private key.
        guard allKeys.allSatisfy({ own.contains($0.applicationLabel) }) else {
            throw StatusError(.unsupportedFormat)
        }
        guard keys.count <= PKCS12Archive.maximumKeys, items.count <= PKCS12Archive.maximumBags else {
            throw StatusError(.unimplemented)
        }
        // A key belongs to the certificates with the same public key digest, and gets the label of the first
        // certificate.
        let bags = items.compactMap(\.certificate).map { certificate in
            let digest = certificate.publicKeyDigest
            return PKCS12Archive.Certificate(
                der: certificate.der,
                label: certificate.summary,
                localKeyID: own.contains(digest) ? digest : nil
            )
        }
        let archive = PKCS12Archive(
            keys: try keys.map { key in
                .init(
                    pkcs8: try Self.pkcs8(key),
                    label: bags.first { $0.localKeyID == key.applicationLabel }?.label,
                    localKeyID: key.applicationLabel
                )
            },
            // Certificates of keys precede others, because some programs read only the first certificate.
            certificates: bags.filter { $0.localKeyID != nil } + bags.filter { $0.localKeyID == nil }
        )
        return try archive.file(passphrase: passphrase)
    }
}
