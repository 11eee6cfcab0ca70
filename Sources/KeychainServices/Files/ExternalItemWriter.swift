// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects

/// From objects to bytes.
struct ExternalItemWriter {
    let isArmoured: Bool
    let passphrase: SharedBytes?

    /// The keys and certificates of what a caller wants exported: an item or an array; identities are taken apart.
    static func items(in object: AnyObject) throws(KeyCallError) -> [NSObject] {
        let objects = (object as? NSArray).map { $0.objects.map { $0 as AnyObject } } ?? [object]
        var items: [NSObject] = []
        for object in objects {
            switch object {
            case let identity as SecIdentity: items += [identity.certificate, identity.privateKey]
            case let certificate as SecCertificate: items.append(certificate)
            case let key as SecKey: items.append(key)
            default: throw KeyCallError(errSecParam)
            }
        }
        guard !items.isEmpty else { throw KeyCallError(errSecParam) }
        // A key of two identities is one key.
        var seen: Set<NSObject> = []
        return items.filter { seen.insert($0).inserted }
    }

    func write(_ items: [NSObject], as format: SecExternalFormat) throws -> Data {
        switch format {
        case .formatPKCS12: return try archive(of: items)
        case .formatPEMSequence: return try pem(items, .formatUnknown)
        case .formatSSHv2: return try openSSH(items)
        default: break
        }
        guard items.count == 1, !isArmoured, let item = items.first else { return try pem(items, format) }
        return try block(item, format).bytes
    }

    // MARK: One by one

    private func pem(_ items: [NSObject], _ format: SecExternalFormat) throws -> Data {
        var text = Data()
        for item in items {
            // Among several items a form of private keys leaves the others as they usually are.
            let isMeant = items.count == 1 || !Self.keyForms.contains(format) || Self.isPrivate(item)
            var block = try block(item, isMeant ? format : .formatUnknown)
            defer { block.bytes.erase() }
            text += Data(block.text.utf8)
        }
        return text
    }

    private static let keyForms: Set<SecExternalFormat> = [.formatWrappedPKCS8, .formatBSAFE]

    private static func isPrivate(_ item: NSObject) -> Bool { (item as? SecKey)?.key.half == .private }

    private func block(_ item: NSObject, _ format: SecExternalFormat) throws -> PEMBlock {
        if let certificate = item as? SecCertificate {
            guard [.formatUnknown, .formatX509Cert, .formatOpenSSL].contains(format) else {
                throw KeyCallError(errSecUnsupportedFormat)
            }
            return PEMBlock(label: "CERTIFICATE", bytes: certificate.content.der)
        }
        guard let key = (item as? SecKey)?.key else { throw KeyCallError(errSecParam) }
        if format == .formatWrappedPKCS8 { return try wrapped(key) }
        guard let form = Self.form(of: key, as: format), form.label(for: key.half) != nil else {
            throw KeyCallError(errSecUnsupportedFormat)
        }
        return try key.exposedBlock(as: form)
    }

    /// The form that a format means for a key; `nil` where it means none.
    private static func form(of key: AsymmetricKey, as format: SecExternalFormat) -> KeyFormat? {
        switch (format, key.half, key.type) {
        case (.formatUnknown, .private, .rsa), (.formatOpenSSL, .private, .rsa): .pkcs1
        case (.formatUnknown, .private, .ellipticCurve), (.formatOpenSSL, .private, .ellipticCurve): .sec1
        case (.formatUnknown, .public, _), (.formatOpenSSL, .public, _): .subjectPublicKeyInfo
        case (.formatBSAFE, .private, _): .pkcs8
        case (.formatBSAFE, .public, .rsa): .pkcs1
        default: nil
        }
    }

    private func wrapped(_ key: AsymmetricKey) throws -> PEMBlock {
        guard key.half == .private else { throw KeyCallError(errSecUnsupportedFormat) }
        guard let passphrase else { throw KeyCallError(errSecPassphraseRequired) }
        return PEMBlock(
            label: "ENCRYPTED PRIVATE KEY",
            bytes: try EncryptedKey.seal(Self.pkcs8(key), passphrase: passphrase)
        )
    }

    private static func pkcs8(_ key: AsymmetricKey) throws -> SharedBytes {
        var bytes = try key.exposed(as: .pkcs8)
        defer { bytes.erase() }
        return SharedBytes(bytes)
    }

    private func openSSH(_ items: [NSObject]) throws -> Data {
        var lines = Data()
        for item in items {
            guard let key = (item as? SecKey)?.key, key.half == .public else {
                throw KeyCallError(errSecUnsupportedFormat)
            }
            lines += try key.exposed(as: .openSSH) + Data("\n".utf8)
        }
        return lines
    }

    // MARK: Archives

    private func archive(of items: [NSObject]) throws -> Data {
        guard let passphrase else { throw KeyCallError(errSecPassphraseRequired) }
        let halves = items.compactMap { ($0 as? SecKey)?.key }
        let keys = halves.filter { $0.half == .private }
        let own = Set(keys.map(\.applicationLabel))
        // A public key has no place there but in its private half.
        guard halves.allSatisfy({ own.contains($0.applicationLabel) }) else {
            throw KeyCallError(errSecUnsupportedFormat)
        }
        guard keys.count <= PKCS12Archive.maximumKeys, items.count <= PKCS12Archive.maximumBags else {
            throw KeyCallError(errSecUnimplemented)
        }
        // A key belongs to the certificates with the same public key digest; the first of them names it.
        let bags = items.compactMap { $0 as? SecCertificate }.map { certificate in
            let digest = certificate.publicKeyDigest
            return PKCS12Archive.Certificate(
                der: certificate.content.der,
                label: certificate.content.summary,
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
            // Who reads one certificate reads the first.
            certificates: bags.filter { $0.localKeyID != nil } + bags.filter { $0.localKeyID == nil }
        )
        return try archive.file(passphrase: passphrase)
    }
}
