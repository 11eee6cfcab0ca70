// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// `export`.
struct ExportItems {
    let arguments: ScannedArguments
    let isInteractive: Bool

    private static let step = "SecKeychainItemExport"

    /// A file from which something is missing is no backup.
    let listing = Listing(.refused)

    func run() throws(Failure) {
        try arguments.checkKeychain()
        var (format, isPEM) = try format()
        let items = try chosenItems()
        guard !items.isEmpty else { throw .file(errSecItemNotFound, step: Self.step) }
        let isPrivate = items.contains { $0.privateKey != nil }
        guard items.allSatisfy({ $0.privateKey == nil || $0.isExtractable }) else {
            throw .file(errSecDataNotAvailable, step: Self.step)
        }
        if !isPrivate {
            guard arguments.value("format") != "pkcs8" else {
                throw .file(errSecUnsupportedFormat, step: Self.step)
            }
            // There is nothing to wrap.
            if format == .formatWrappedPKCS8 { format = .formatPEMSequence }
        }
        let needsPassphrase = [.formatWrappedPKCS8, .formatPKCS12].contains(format)
        if needsPassphrase { try FilePassphrase.checkSupport(Self.step) }
        var passphrase = try FilePassphrase(arguments: arguments, isInteractive: isInteractive)
            .given(isNew: true)
        defer { passphrase?.wipe() }
        if passphrase == nil, needsPassphrase {
            passphrase = try FilePassphrase.asked(isNew: true)
        }
        let objects = items.compactMap(\.exportable)
        guard objects.count == items.count else {
            throw .message(
                "\(Self.step): an item is no key or certificate that could be written",
                result: errSecUnsupportedFormat
            )
        }
        let bytes = try export(objects, format, isPEM ? .pemArmour : [], passphrase)
        try OutputFile.write(bytes, to: arguments.value("output"), isPrivate: isPrivate)
    }

    /// The format and whether it is to be PEM.
    ///
    /// Who gives a passphrase gets no file that does without.
    private func format() throws(Failure) -> (format: SecExternalFormat, isPEM: Bool) {
        guard let format = FormatName.format(arguments.value("format") ?? "pemseq") else {
            throw .usage("there is no such format")
        }
        let isWrapped = arguments.has("wrapped") || arguments.has("passphrase")
        switch format {
        case .formatPEMSequence: return (isWrapped ? .formatWrappedPKCS8 : format, true)
        // Without a passphrase pkcs8 is PKCS#8 as it is, which macOS's command cannot write.
        case .formatWrappedPKCS8: return (isWrapped ? format : .formatBSAFE, arguments.has("pem"))
        case .formatPKCS12: return (format, false)
        default:
            guard !isWrapped else { throw .usage("a passphrase goes with pemseq, pkcs8 or pkcs12") }
            return (format, arguments.has("pem"))
        }
    }

    // MARK: What

    private func chosenItems() throws(Failure) -> [StoredObject] {
        switch arguments.value("type") ?? "all" {
        case "certs": return try lonelyCertificates()
        case "allcerts": return try StoredObject.all(.certificate, in: listing)
        case "pubKeys": return try keys(kSecAttrKeyClassPublic)
        case "privKeys": return try keys(kSecAttrKeyClassPrivate)
        case "identities": return try StoredObject.all(.identity, in: listing)
        case "all":
            let identities = try StoredObject.all(.identity, in: listing)
            let paired = Set(identities.map(\.applicationLabel))
            let privateKeys = try keys(kSecAttrKeyClassPrivate)
                .filter { !paired.contains($0.applicationLabel) }
            return try identities + lonelyCertificates() + privateKeys + keys(kSecAttrKeyClassPublic)
        default: throw .usage("there is no such type")
        }
    }

    /// The certificates of which there is no private key.
    private func lonelyCertificates() throws(Failure) -> [StoredObject] {
        let paired = Set(try StoredObject.all(.identity, in: listing).compactMap { $0.certificate })
        return try StoredObject.all(.certificate, in: listing).filter { object in
            object.certificate.map { !paired.contains($0) } ?? true
        }
    }

    private func keys(_ keyClass: CFString) throws(Failure) -> [StoredObject] {
        var query = ItemDictionary()
        query[kSecAttrKeyClass] = keyClass
        return try StoredObject.all(.key, agreeingIn: query, in: listing)
    }

    // MARK: How

    private func export(
        _ objects: [NSObject],
        _ format: SecExternalFormat,
        _ flags: SecItemImportExportFlags,
        _ passphrase: [UInt8]?
    ) throws(Failure) -> Data {
        var data: CFData?
        let status = unsafe FilePassphrase.with(passphrase) { parameters in
            unsafe SecItemExport(objects as NSArray, format, flags, parameters, &data)
        }
        if status == errSecUnimplemented {
            throw .message(
                "\(Self.step): there are more private keys or items than a PKCS#12 file takes here",
                result: status
            )
        }
        guard status == errSecSuccess, let data else { throw .file(status, step: Self.step) }
        return Data(referencing: data)
    }
}
