// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// `export`.
struct ExportItems {
    let arguments: ScannedArguments
    let isInteractive: Bool

    private static let step = "SecKeychainItemExport"

    func run() throws(Failure) {
        var (format, isPEM) = try format()
        let (items, left) = try chosenItems()
        guard !items.isEmpty else { throw left ?? .file(errSecItemNotFound, step: Self.step) }
        let isPrivate = items.contains { $0.privateKey != nil && !$0.isStrippedOfKey }
        if !isPrivate {
            guard arguments.value("format") != "pkcs8" else {
                throw .file(errSecUnsupportedFormat, step: Self.step)
            }
            // There is nothing to wrap.
            if format == .formatWrappedPKCS8 { format = .formatPEMSequence }
        }
        if isPrivate { try PrivateKeyWarning.confirm(output: arguments.value("output")) }
        var passphrase = try passphrase(for: format)
        defer { passphrase?.wipe() }
        let bytes = try export(items.compactMap(\.exportable), format, isPEM ? .pemArmour : [], passphrase)
        try OutputFile.write(bytes, to: arguments.value("output"), isPrivate: isPrivate)
        // What was named already: a file from which something is missing is no backup.
        if let left { throw .said(result: left.result) }
    }

    private func passphrase(for format: SecExternalFormat) throws(Failure) -> [UInt8]? {
        let isNeeded = [.formatWrappedPKCS8, .formatPKCS12].contains(format)
        if isNeeded { try FilePassphrase.checkSupport(Self.step) }
        let given = try FilePassphrase(arguments: arguments, isInteractive: isInteractive).given(isNew: true)
        return try given == nil && isNeeded ? FilePassphrase.asked(isNew: true) : given
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

    /// The items of all keychains that are searched, or of that of `-k`, and why some are left out, which are named.
    private func chosenItems() throws(Failure) -> (items: [StoredObject], left: Failure?) {
        guard let type = ExportType(rawValue: arguments.value("type") ?? "all") else {
            throw .usage("there is no such type")
        }
        let label = arguments.value("label")
        var (items, left) = ([] as [StoredObject], nil as Failure?)
        let keychains = arguments.value("keychain").map { [$0] } ?? []
        try Keychains.each(keychains, arguments) { () throws(Failure) in
            // A file from which something locked is missing is no backup.
            for item in try type.items(in: Listing(.refused))
            where label.map({ item.names.contains($0) }) ?? true {
                let (exported, failure) = exportable(item, type)
                if let exported { items.append(exported) }
                left = left ?? failure
            }
        }
        return (items, left)
    }

    /// The item, or what of it can be exported; the rest is named.
    private func exportable(_ item: StoredObject, _ type: ExportType) -> (StoredObject?, Failure?) {
        if item.privateKey != nil, !item.isExtractable {
            let failure = Failure.file(errSecDataNotAvailable, step: Self.step)
            Console.complain(
                "\(Self.step): the private key of \"\(BlobText.line(item.label))\" is not extractable"
            )
            return (type == .all ? item.strippedOfKey : nil, failure)
        }
        guard item.exportable == nil else { return (item, nil) }
        let text =
            "\(Self.step): \"\(BlobText.line(item.label))\" is no key or certificate that could be written"
        Console.complain(text)
        return (nil, .said(result: errSecUnsupportedFormat))
    }

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
