// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// `delete-certificate`.
struct DeleteCertificate {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try ObjectDeletion(objectClass: .certificate, noun: "certificate", arguments: arguments).run()
    }
}

/// `delete-identity`.
struct DeleteIdentity {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try ObjectDeletion(objectClass: .identity, noun: "identity", arguments: arguments).run()
    }
}

/// Deletes the one object that fits; where several do, none.
///
/// A name that fits as a whole wins over parts of names.
private struct ObjectDeletion {
    let objectClass: ObjectClass
    let noun: String
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let digest = try digest()
        let name = arguments.value("name")
        guard digest != nil || name != nil else { throw .usage("a name or a hash is required") }
        try KeychainCalls.check(operands: arguments.operands)
        var found = try StoredObject.all(objectClass, in: Listing(.refused)).filter { object in
            guard let certificate = object.certificate else { return false }
            return digest.map { [certificate.sha1Digest, certificate.sha256Digest].contains($0) } ?? true
        }
        if let name {
            let exact = found.filter { $0.names.contains(name) }
            found = exact.isEmpty ? found.filter { $0.isNamed(name) } : exact
        }
        let meant = BlobText.line(name ?? arguments.value("hash") ?? "")
        guard let first = found.first else {
            throw .message("Unable to delete \(noun) matching \"\(meant)\"", result: 1)
        }
        guard found.count == 1 else {
            throw .message("\"\(meant)\" is ambiguous, matches more than one \(noun)", result: 1)
        }
        guard let reference = first.reference else {
            throw .status(errSecInvalidItemRef, step: "SecKeychainItemDelete")
        }
        try KeychainCalls.delete(reference)
    }

    /// The digest that `-Z` gives; blanks and colons between the digits do not count.
    private func digest() throws(Failure) -> Data? {
        guard let text = arguments.value("hash") else { return nil }
        let bytes = BlobText.bytes(hexadecimal: text.filter { $0 != ":" && $0 != " " }) ?? []
        guard bytes.count == 20 || bytes.count == 32 else {
            throw .usage("a hash has 40 or 64 hexadecimal digits")
        }
        return Data(bytes)
    }
}
