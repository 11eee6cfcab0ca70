// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainClient
import KeychainModel
import KeychainObjects

/// `export`: writes keys and certificates to a file.
struct ExportItems {
    let arguments: ScannedArguments

    private static let step = "SecKeychainItemExport"

    func run() throws(Failure) {
        var (format, isPEM) = try format()
        let (items, left) = try chosenItems()
        guard !items.isEmpty else { throw left ?? .file(.itemNotFound, step: Self.step) }
        let isPrivate = items.contains { $0.privateKey != nil && !$0.isStrippedOfKey }
        if !isPrivate {
            guard arguments.value("format") != "pkcs8" else {
                throw .file(.unsupportedFormat, step: Self.step)
            }
            // Without private keys nothing is encrypted, so the format is plain PEM.
            if format == .wrappedPKCS8 { format = .pemSequence }
        }
        if isPrivate { try PrivateKeyWarning.confirm(output: arguments.value("output")) }
        var passphrase = try passphrase(for: format)
        defer { passphrase?.wipe() }
        let bytes = try file(items.compactMap(\.exportable), format, isPEM, passphrase, isPrivate)
        try OutputFile.write([UInt8](bytes), to: arguments.value("output"), isPrivate: isPrivate)
        // The reasons for omitting items have already been printed; the exit code reports the incomplete file.
        if let left { throw .said(result: left.result) }
    }

    private func passphrase(for format: ExternalFormat) throws(Failure) -> [UInt8]? {
        let usesLibrary = [.wrappedPKCS8, .pkcs12].contains(format)
        if usesLibrary { try FilePassphrase.checkSupport(Self.step) }
        let given = try FilePassphrase(arguments: arguments).given(isNew: true)
        let isNeeded = usesLibrary || format == .sshV2 && isWrapped
        return try given == nil && isNeeded ? FilePassphrase.asked(isNew: true) : given
    }

    /// Whether `-w` or `-P` is given.
    private var isWrapped: Bool { arguments.has("wrapped") || arguments.has("passphrase") }

    /// The format, and whether it is written as PEM.
    ///
    /// Refuses a format without encryption if `-w` or `-P` is given.
    private func format() throws(Failure) -> (format: ExternalFormat, isPEM: Bool) {
        guard let format = FormatName.format(arguments.value("format") ?? "pemseq") else {
            throw .usage("unknown format")
        }
        switch format {
        case .pemSequence: return (isWrapped ? .wrappedPKCS8 : format, true)
        // Without a passphrase, pkcs8 is unencrypted PKCS#8, which macOS's command cannot write.
        case .wrappedPKCS8: return (isWrapped ? format : .bsafe, arguments.has("pem"))
        case .pkcs12: return (format, false)
        case .sshV2: return (format, arguments.has("pem"))
        default:
            guard !isWrapped else {
                throw .usage("only pemseq, pkcs8, pkcs12 and openssh2 take a passphrase")
            }
            return (format, arguments.has("pem"))
        }
    }

    /// The items to export, and the first reason for leaving out an item or its private key.
    ///
    /// The reason is `nil` if nothing is left out.
    private func chosenItems() throws(Failure) -> (items: [StoredObject], left: Failure?) {
        guard let type = ExportType(rawValue: arguments.value("type") ?? "all") else {
            throw .usage("unknown type")
        }
        let label = arguments.value("label")
        var (items, left) = ([] as [StoredObject], nil as Failure?)
        let keychains = arguments.value("keychain").map { [$0] } ?? []
        try Keychains.each(keychains, arguments) { () throws(Failure) in
            // Fail if an item is locked: a file without it would be an incomplete backup.
            for item in try type.items(in: Listing(.refused))
            where label.map({ item.names.contains($0) }) ?? true {
                let (exported, failure) = exportable(item, type)
                if let exported { items.append(exported) }
                left = left ?? failure
            }
        }
        return (items, left)
    }

    /// The item or its exportable part; if anything is left out, prints its name and returns the reason.
    private func exportable(_ item: StoredObject, _ type: ExportType) -> (StoredObject?, Failure?) {
        if item.privateKey != nil, !item.isExtractable {
            let failure = Failure.file(.dataNotAvailable, step: Self.step)
            Console.complain(
                "\(Self.step): the private key of \"\(BlobText.line(item.label))\" is not extractable"
            )
            return (type == .all ? item.strippedOfKey : nil, failure)
        }
        guard item.exportable == nil else { return (item, nil) }
        let text =
            "\(Self.step): \"\(BlobText.line(item.label))\" is not a key or certificate that can be written"
        Console.complain(text)
        return (nil, .said(result: Status.unsupportedFormat.rawValue))
    }

    /// Formats the items; encrypts a private key in OpenSSH's own format if `-w` or `-P` is given.
    private func file(
        _ objects: [KeychainObject],
        _ format: ExternalFormat,
        _ isPEM: Bool,
        _ passphrase: [UInt8]?,
        _ isPrivate: Bool
    ) throws(Failure) -> Data {
        guard format == .sshV2, isWrapped else { return try export(objects, format, isPEM, passphrase) }
        guard isPrivate, objects.count == 1 else {
            throw .usage(
                "with a passphrase, openssh2 takes one private key; select it with -t privKeys and -l"
            )
        }
        guard let passphrase else { throw .file(.passphraseRequired, step: Self.step) }
        var plain = try export(objects, format, isPEM, nil)
        defer { plain.erase() }
        return try OpenSSHKeyProgram(step: Self.step).encrypted(plain, passphrase)
    }

    private func export(
        _ objects: [KeychainObject],
        _ format: ExternalFormat,
        _ isPEM: Bool,
        _ passphrase: [UInt8]?
    ) throws(Failure) -> Data {
        let writer = ExternalItemWriter(
            isArmoured: isPEM,
            passphrase: passphrase.map { SharedBytes($0) },
            writesOpenSSHPrivateKeys: true
        )
        do throws(StatusError) {
            return try writer.write(objects, as: format)
        } catch {
            FailureLog.record(error)
            guard error.status == .unimplemented else { throw .file(error.status, step: Self.step) }
            throw .message(
                "\(Self.step): too many private keys or items for one PKCS#12 file",
                result: error.status.rawValue
            )
        }
    }
}
