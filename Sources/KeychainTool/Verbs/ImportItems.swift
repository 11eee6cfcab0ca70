// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainClient
import KeychainModel
import KeychainObjects

/// `import`: imports everything in a file, or nothing if a part is unreadable or cannot be stored.
///
/// Items that exist already stay unchanged; the command adds the others and then fails with `duplicateItem`.
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
        let step = file.stepWithFile
        let certificateAttributes = try arguments.attributes(of: .certificate, step: step).stored
        let keyAttributes = try keyAttributes(step)
        let control = try arguments.accessControl()
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
            certificateAttributes: certificateAttributes,
            keyAttributes: keyAttributes,
            isExtractable: !arguments.has("non-extractable"),
            accessControl: control,
            step: step
        )
        try storage.add(items)
        try Console.write(arguments.has("json") ? storage.json.text + "\n" : storage.report)
        if storage.duplicates > 0 { throw .file(.duplicateItem, step: step) }
    }

    private func format() throws(Failure) -> ExternalFormat {
        guard let name = arguments.value("format") else { return .unknown }
        guard let format = FormatName.format(name) else { throw .usage("unknown format") }
        return format
    }

    private func type() throws(Failure) -> ExternalItemType {
        switch arguments.value("type") {
        case nil: return .unknown
        case "cert": return .certificate
        case "pub": return .publicKey
        case "priv": return .privateKey
        case "session": return .sessionKey
        case "agg": return .aggregate
        default: throw .usage("unknown type")
        }
    }

    /// The attributes of keys, including those of `-a`.
    private func keyAttributes(_ step: String) throws(Failure) -> Attributes {
        var attributes = try arguments.attributes(of: .key, step: step).stored
        let words = arguments.occurrences.filter { $0.option.kind == .pair }.map { $0.value ?? "" }
        for index in stride(from: 0, to: words.count, by: 2) {
            let value = words[index + 1]
            switch words[index] {
            case "label", "labl": attributes[.label] = .string(value)
            case "application-tag", "atag": attributes[.applicationTag] = .data(Array(value.utf8))
            default: throw .usage("-a takes label or application-tag, and a value")
            }
        }
        return attributes
    }
}

/// A file with keys and certificates to read.
struct ExternalFile {
    let name: String
    let format: ExternalFormat
    let type: ExternalItemType
    let step: String

    /// The name of the macOS function and of the file, for messages.
    var stepWithFile: String { "\(step) (\(InputFile.displayName(name)))" }

    /// Reads the items; asks for a passphrase if one is required and not given.
    func items(in bytes: Data, passphrase: FilePassphrase) throws(Failure) -> [KeychainObject] {
        var given = try passphrase.given(isNew: false)
        defer { given?.wipe() }
        if let key = EncryptedOpenSSHKey(bytes) { return try items(in: bytes, key, given) }
        do throws(StatusError) {
            return try read(bytes, given)
        } catch {
            guard [.passphraseRequired, .unimplemented].contains(error.status) else {
                throw failure(error, bytes)
            }
            try FilePassphrase.checkSupport(stepWithFile)
            guard error.status == .passphraseRequired, given == nil,
                var asked = try FilePassphrase.asked(isNew: false)
            else { throw failure(error, bytes) }
            defer { asked.wipe() }
            return try items(in: bytes, asked)
        }
    }

    /// Reads a private key that OpenSSH has encrypted; asks for the passphrase if none is given.
    private func items(
        in bytes: Data,
        _ key: EncryptedOpenSSHKey,
        _ given: [UInt8]?
    ) throws(Failure) -> [KeychainObject] {
        var asked: [UInt8]?
        if given == nil { asked = try FilePassphrase.asked(isNew: false) }
        guard var passphrase = given ?? asked else {
            throw .file(.passphraseRequired, step: stepWithFile)
        }
        defer { passphrase.wipe() }
        var decrypted = try OpenSSHKeyProgram(step: stepWithFile).decrypted(bytes, key, passphrase)
        defer { decrypted.erase() }
        return try items(in: decrypted)
    }

    /// Reads the items; fails if a passphrase is required.
    func items(in bytes: Data) throws(Failure) -> [KeychainObject] {
        #if !Objects
        try FilePassphrase.checkSupport(stepWithFile)
        #endif
        return try items(in: bytes, nil)
    }

    private func items(in bytes: Data, _ passphrase: [UInt8]?) throws(Failure) -> [KeychainObject] {
        do throws(StatusError) {
            return try read(bytes, passphrase)
        } catch {
            throw failure(error, bytes)
        }
    }

    private func failure(_ error: StatusError, _ bytes: Data) -> Failure {
        FailureLog.record(error)
        let isUnsupported = [.unsupportedFormat, .unknownFormat].contains(error.status)
        guard isUnsupported, let detail = UnsupportedKey.detail(of: bytes, error.status) else {
            return .file(error.status, step: stepWithFile)
        }
        return .store(error.status, step: stepWithFile, detail: detail)
    }

    private func read(_ bytes: Data, _ passphrase: [UInt8]?) throws(StatusError) -> [KeychainObject] {
        try ObjectsTrait.check()
        let reader = ExternalItemReader(passphrase: passphrase.map { SharedBytes($0) })
        return try reader.read(bytes, as: format, of: type).items
    }
}
