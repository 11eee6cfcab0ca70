// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// `import`: everything in a file, or nothing if a part of it cannot be read.
struct ImportItems {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard let name = arguments.operands.first else { throw .usage("a file is required") }
        try Keychains.useOption(of: arguments)
        let file = ExternalFile(
            name: name,
            format: try format(),
            type: try type(),
            step: "SecKeychainItemImport"
        )
        let attributes = try arguments.dictionary(ofClass: nil)
        let keyAttributes = try keyAttributes()
        let bytes = try InputFile.read(name)
        let items = try file.items(
            in: bytes,
            passphrase: FilePassphrase(
                arguments: arguments,
                inputIsTaken: name == "-"
            )
        )
        arguments.warnOfOptionsWithoutEffect()
        var storage = ObjectStorage(
            attributes: attributes,
            keyAttributes: keyAttributes,
            isExtractable: !arguments.has("non-extractable"),
            step: file.spokenStep
        )
        try storage.add(items)
        for line in storage.report { try Console.write(line + "\n") }
        if storage.duplicates > 0 { throw .file(errSecDuplicateItem, step: file.spokenStep) }
    }

    private func format() throws(Failure) -> SecExternalFormat {
        guard let name = arguments.value("format") else { return .formatUnknown }
        guard let format = FormatName.format(name) else { throw .usage("unknown format") }
        return format
    }

    private func type() throws(Failure) -> SecExternalItemType {
        switch arguments.value("type") {
        case nil: return .itemTypeUnknown
        case "cert": return .itemTypeCertificate
        case "pub": return .itemTypePublicKey
        case "priv": return .itemTypePrivateKey
        case "session": return .itemTypeSessionKey
        case "agg": return .itemTypeAggregate
        default: throw .usage("unknown type")
        }
    }

    /// What `-a` says of the keys.
    private func keyAttributes() throws(Failure) -> ItemDictionary {
        var attributes = ItemDictionary()
        let words = arguments.occurrences.filter { $0.option.kind == .pair }.map { $0.value ?? "" }
        for index in stride(from: 0, to: words.count, by: 2) {
            let value = words[index + 1]
            switch words[index] {
            case "label", "labl": attributes[kSecAttrLabel] = NSString(string: value)
            case "application-tag", "atag":
                attributes[kSecAttrApplicationTag] = NSData(data: Data(value.utf8))
            default: throw .usage("-a takes label or application-tag, and a value")
            }
        }
        return attributes
    }
}

/// A file with keys and certificates, and what is said about it.
struct ExternalFile {
    let name: String
    let format: SecExternalFormat
    let type: SecExternalItemType
    let step: String

    /// The step, with the file's name.
    var spokenStep: String { "\(step) (\(InputFile.spoken(name)))" }

    /// Reads the items; a passphrase is asked for where one turns out to be needed.
    func items(in bytes: Data, passphrase: FilePassphrase) throws(Failure) -> [AnyObject] {
        var given = try passphrase.given(isNew: false)
        defer { given?.wipe() }
        var (status, items) = read(bytes, given)
        if [errSecPassphraseRequired, errSecUnimplemented].contains(status) {
            try FilePassphrase.checkSupport(spokenStep)
        }
        if status == errSecPassphraseRequired, given == nil,
            var asked = try FilePassphrase.asked(isNew: false)
        {
            defer { asked.wipe() }
            (status, items) = read(bytes, asked)
        }
        guard status == errSecSuccess else { throw failure(status, bytes) }
        return items
    }

    /// Reads the items of a file that needs no passphrase.
    func items(in bytes: Data) throws(Failure) -> [AnyObject] {
        let (status, items) = read(bytes, nil)
        #if !Objects
        try FilePassphrase.checkSupport(spokenStep)
        #endif
        guard status == errSecSuccess else { throw failure(status, bytes) }
        return items
    }

    private func failure(_ status: OSStatus, _ bytes: Data) -> Failure {
        let isUnsupported = [errSecUnsupportedFormat, errSecUnknownFormat].contains(status)
        guard isUnsupported, let detail = UnsupportedKey.detail(of: bytes) else {
            return .file(status, step: spokenStep)
        }
        return .store(status, step: spokenStep, detail: detail)
    }

    private func read(_ bytes: Data, _ passphrase: [UInt8]?) -> (OSStatus, [AnyObject]) {
        var (format, type, items) = (format, type, nil as CFArray?)
        let status = unsafe FilePassphrase.with(passphrase) { parameters in
            unsafe SecItemImport(NSData(data: bytes), nil, &format, &type, [], parameters, nil, &items)
        }
        return (status, items as? [AnyObject] ?? [])
    }
}
