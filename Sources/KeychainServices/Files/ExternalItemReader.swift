// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects

extension SecItemImportExportKeyParameters {
    /// The passphrase in memory that is overwritten.
    func secret() throws(KeyCallError) -> SharedBytes? {
        guard let passphrase = unsafe passphrase?.takeUnretainedValue() else { return nil }
        guard let secret = SharedBytes(passphrase: passphrase) else { throw KeyCallError(errSecParam) }
        return secret
    }
}

/// From bytes of any form to objects: all that are in them, or an error.
struct ExternalItemReader {
    /// What was found.
    struct Found {
        var format: SecExternalFormat
        var type: SecExternalItemType
        var items: [NSObject]

        /// How many private keys there are, those of identities included.
        var privateKeyCount: Int {
            items.count { $0 is SecIdentity || ($0 as? SecKey)?.externalType == .itemTypePrivateKey }
        }
    }

    static let largestSize = 16 * 1024 * 1024

    let passphrase: SharedBytes?

    func read(
        _ bytes: Data,
        as format: SecExternalFormat,
        of type: SecExternalItemType
    ) throws -> Found {
        guard Self.readable.contains(format), type != .itemTypeSessionKey else {
            throw KeyCallError(errSecUnsupportedFormat)
        }
        let found = try read(bytes)
        guard found.fits(format), found.fits(type) else { throw KeyCallError(errSecUnknownFormat) }
        return found
    }

    private static let readable: Set<SecExternalFormat> = [
        .formatUnknown, .formatOpenSSL, .formatBSAFE, .formatWrappedPKCS8, .formatX509Cert,
        .formatPEMSequence,
        .formatPKCS12, .formatSSHv2,
    ]

    private func read(_ bytes: Data) throws -> Found {
        guard !bytes.isEmpty, bytes.count <= Self.largestSize else { throw KeyCallError(errSecUnknownFormat) }
        do {
            guard bytes.first != 0x30 else { return try der(bytes) }
            // Whatever is not UTF-8 can only stand between the blocks of a PEM text; the blocks themselves are ASCII.
            let text = String(decoding: bytes, as: UTF8.self)
            return try text.contains("-----BEGIN ") ? pem(text) : openSSH(text)
        } catch let error as AsymmetricKeyError {
            throw KeyCallError(error.importStatus)
        }
    }

    // MARK: DER

    private func der(_ bytes: Data) throws -> Found {
        if Self.isArchive(bytes) { return try archive(bytes) }
        // The object identifier of PKCS#7 is the first thing in it.
        if bytes.prefix(16).firstRange(of: Self.pkcs7) != nil { throw KeyCallError(errSecUnsupportedFormat) }
        // A private key, which begins with a number, is not copied to look for a certificate in it.
        if Self.isNested(bytes), SecCertificateCreateWithData(nil, NSData(data: bytes)) != nil {
            let certificate = try Self.certificate(bytes)
            return Found(format: .formatX509Cert, type: .itemTypeCertificate, items: [certificate])
        }
        do {
            let key = SecKey(try AsymmetricKey(der: bytes))
            return Found(format: .formatOpenSSL, type: key.externalType, items: [key])
        } catch AsymmetricKeyError.encryptedKey {
            let key = try decrypted(bytes)
            return Found(format: .formatWrappedPKCS8, type: .itemTypePrivateKey, items: [key])
        }
    }

    private static let pkcs7 = Data([0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07])

    /// Whether the bytes begin as an archive does: a SEQUENCE, of known length or not, and in it the number 3.
    private static func isArchive(_ bytes: Data) -> Bool {
        content(of: bytes).starts(with: [0x02, 0x01, 0x03, 0x30])
    }

    /// Whether the first thing in a SEQUENCE is another.
    private static func isNested(_ bytes: Data) -> Bool { content(of: bytes).first == 0x30 }

    /// What follows the type and the length of an element.
    private static func content(of bytes: Data) -> Data {
        guard let length = bytes.dropFirst().first else { return Data() }
        return bytes.dropFirst(length > 0x80 ? 2 + Int(length & 0x7f) : 2)
    }

    /// The certificate that the bytes are, with nothing behind it: that would be lost in silence.
    private static func certificate(_ bytes: Data, andMore: Bool = false) throws -> SecCertificate {
        guard let certificate = SecCertificateCreateWithData(nil, NSData(data: bytes)),
            andMore || certificate.content.der.count == bytes.count
        else { throw AsymmetricKeyError.malformedKey }
        return certificate
    }

    private func decrypted(_ bytes: Data) throws -> SecKey {
        guard let passphrase else { throw KeyCallError(errSecPassphraseRequired) }
        var pkcs8 = try EncryptedKey.open(bytes, passphrase: passphrase).data
        defer { pkcs8.erase() }
        return SecKey(try AsymmetricKey(pkcs8: pkcs8))
    }

    // MARK: Text

    private func pem(_ text: String) throws -> Found {
        var items: [NSObject] = []
        var isWrapped = false
        for var block in try PEMBlock.all(in: text) {
            defer { block.bytes.erase() }
            switch block.label {
            case "CERTIFICATE", "X509 CERTIFICATE": items.append(try Self.certificate(block.bytes))
            // Here OpenSSL writes behind it what it is trusted for.
            case "TRUSTED CERTIFICATE": items.append(try Self.certificate(block.bytes, andMore: true))
            case "ENCRYPTED PRIVATE KEY":
                items.append(try decrypted(block.bytes))
                isWrapped = true
            case "PKCS7", "CMS", "PKCS #7 SIGNED DATA": throw KeyCallError(errSecUnsupportedFormat)
            default:
                if let key = try AsymmetricKey(block) { items.append(SecKey(key)) }
            }
        }
        guard let first = items.first else { throw AsymmetricKeyError.malformedKey }
        guard items.count == 1 else {
            return Found(format: .formatPEMSequence, type: .itemTypeAggregate, items: items)
        }
        guard let key = first as? SecKey else {
            return Found(format: .formatX509Cert, type: .itemTypeCertificate, items: items)
        }
        return Found(
            format: isWrapped ? .formatWrappedPKCS8 : .formatOpenSSL,
            type: key.externalType,
            items: items
        )
    }

    /// Every line is a key, is empty or is a comment.
    private func openSSH(_ text: String) throws -> Found {
        var keys: [SecKey] = []
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.drop(while: \.isWhitespace)
            guard !words.isEmpty, !words.hasPrefix("#") else { continue }
            keys.append(SecKey(try AsymmetricKey(file: Data(words.utf8))))
        }
        guard !keys.isEmpty else { throw AsymmetricKeyError.malformedKey }
        let type: SecExternalItemType = keys.count == 1 ? .itemTypePublicKey : .itemTypeAggregate
        return Found(format: .formatSSHv2, type: type, items: keys)
    }

    // MARK: Archives

    private func archive(_ bytes: Data) throws -> Found {
        do {
            let archive = try PKCS12Archive(bytes, passphrase: passphrase ?? .empty)
            return Found(
                format: .formatPKCS12,
                type: .itemTypeAggregate,
                items: try Self.items(of: ArchiveContents(archive))
            )
        } catch let error as StatusError where error.status == .authenticationFailed {
            throw KeyCallError(passphrase == nil ? errSecPassphraseRequired : errSecPkcs12VerifyFailure)
        }
    }

    /// The identities that keys and certificates make, and what is left of both.
    private static func items(of contents: ArchiveContents) throws -> [NSObject] {
        var identities: [SecIdentity] = []
        var keys: [SecKey] = []
        for (_, key) in contents.keys {
            let own = contents.certificates(of: key).compactMap {
                SecIdentity(contents.certificates[$0].object, key)
            }
            if own.isEmpty { keys.append(key) }
            identities += own
        }
        let named = Set(identities.map(\.certificate))
        let others = contents.certificates.map(\.object).filter { !named.contains($0) }
        let items: [NSObject] = identities + keys + others
        guard !items.isEmpty else { throw KeyCallError(errSecDecode) }
        return items
    }
}

extension ExternalItemReader.Found {
    fileprivate func fits(_ wanted: SecExternalFormat) -> Bool {
        switch wanted {
        case .formatBSAFE, .formatWrappedPKCS8: items.allSatisfy { $0 is SecKey }
        case .formatX509Cert: items.allSatisfy { $0 is SecCertificate }
        case .formatPEMSequence: ![.formatPKCS12, .formatSSHv2].contains(format)
        case .formatPKCS12, .formatSSHv2: format == wanted
        default: true
        }
    }

    fileprivate func fits(_ wanted: SecExternalItemType) -> Bool {
        switch wanted {
        case .itemTypeCertificate: items.allSatisfy { $0 is SecCertificate }
        case .itemTypePrivateKey, .itemTypePublicKey:
            items.allSatisfy { ($0 as? SecKey)?.externalType == wanted }
        default: true
        }
    }
}

extension SecKey {
    fileprivate var externalType: SecExternalItemType {
        key.half == .private ? .itemTypePrivateKey : .itemTypePublicKey
    }
}

extension AsymmetricKeyError {
    fileprivate var importStatus: OSStatus {
        switch self {
        // Encrypted in the way of OpenSSL from before PKCS#8, which no passphrase opens here.
        case .unsupportedKey, .encryptedKey: errSecUnsupportedFormat
        default: errSecUnknownFormat
        }
    }
}
