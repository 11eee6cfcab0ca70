// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel
import KeychainObjects

/// `delete-certificate`, `delete-identity` and `delete-key`: delete the object if exactly one matches.
struct DeleteObject {
    let objectClass: ItemClass
    let arguments: ScannedArguments

    private struct Found {
        let object: StoredObject
        let directory: String
    }

    func run() throws(Failure) {
        let found = try objectClass == .key ? keys() : certificates()
        guard let first = found.first else {
            throw .message("Unable to delete \(objectClass.noun) matching \"\(soughtName)\"", result: 1)
        }
        guard found.count == 1 else {
            let text = "\"\(soughtName)\" is ambiguous, matches more than one \(objectClass.noun)"
            let hint = objectClass == .key && arguments.value("type") == nil
            throw .message(text + (hint ? "; select one with -t private or -t public" : ""), result: 1)
        }
        Keychains.use(first.directory)
        try KeychainCalls.delete(first.object.found.reference)
        try arguments.reportChange([
            ("change", .string(ItemChangeKind.deleted.rawValue)), ("class", .string(objectClass.name)),
            ("label", .string(first.object.label)),
        ])
    }

    /// The first search argument, as printed in messages.
    private var soughtName: String {
        let names = ["name", "hash", "label", "application-tag", "application-label"]
        return BlobText.line(names.lazy.compactMap { arguments.value($0) }.first ?? "")
    }

    private func all(
        with attributes: Attributes = Attributes(),
        _ matches: (StoredObject) -> Bool = { _ in true }
    ) throws(Failure) -> [Found] {
        var found: [Found] = []
        try Keychains.each(arguments.operands, arguments) { () throws(Failure) in
            let directory = KeychainCalls.directory()
            found += try StoredObject.all(objectClass, with: attributes, in: Listing(.refused))
                .filter(matches).map { Found(object: $0, directory: directory) }
        }
        return found
    }

    private func keys() throws(Failure) -> [Found] {
        let names = ["label", "application-tag", "application-label"]
        guard names.contains(where: arguments.has) else {
            throw .usage("a label, an application tag or an application label is required")
        }
        return try all(with: arguments.keyQuery())
    }

    /// Returns the certificates or identities with the given hash and name.
    ///
    /// If none of them has exactly the given name, those whose name contains it are returned.
    private func certificates() throws(Failure) -> [Found] {
        let digest = try digest()
        let name = arguments.value("name")
        guard digest != nil || name != nil else { throw .usage("a name or a hash is required") }
        let found = try all { object in
            guard let certificate = object.certificate else { return false }
            return digest.map { [certificate.sha1Digest, certificate.sha256Digest].contains($0) } ?? true
        }
        guard let name else { return found }
        let exact = found.filter { $0.object.names.contains(name) }
        return exact.isEmpty ? found.filter { $0.object.isNamed(name) } : exact
    }

    /// The digest given with `-Z`, ignoring spaces and colons between the digits; `nil` without the option.
    private func digest() throws(Failure) -> Data? {
        guard let text = arguments.value("hash") else { return nil }
        let bytes = BlobText.bytes(hexadecimal: text.filter { $0 != ":" && $0 != " " }) ?? []
        guard bytes.count == 20 || bytes.count == 32 else {
            throw .usage("a hash must have 40 or 64 hexadecimal digits")
        }
        return Data(bytes)
    }
}

extension ItemClass {
    fileprivate var noun: String {
        switch self {
        case .certificate: "certificate"
        case .key: "key"
        case .identity: "identity"
        case .genericPassword, .internetPassword: "password"
        }
    }
}
