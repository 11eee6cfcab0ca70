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
private struct ObjectDeletion {
    let objectClass: ObjectClass
    let noun: String
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let digest = try digest()
        let name = arguments.value("name")
        guard digest != nil || name != nil else { throw .usage("a name or a hash is required") }
        try Keychain.check(operands: arguments.operands)
        let found = try StoredObject.all(objectClass, in: Listing(.refused)).filter { object in
            guard let certificate = object.certificate else { return false }
            if let digest, digest != certificate.sha1Digest, digest != certificate.sha256Digest {
                return false
            }
            return name.map { object.names.contains($0) } ?? true
        }
        guard let first = found.first else {
            throw .status(errSecItemNotFound, step: "SecKeychainSearchCopyNext")
        }
        guard found.count == 1 else {
            throw .message("more than one \(noun) fits; -Z takes the hash of one", result: 1)
        }
        guard let reference = first.reference else {
            throw .status(errSecInvalidItemRef, step: "SecKeychainItemDelete")
        }
        try Keychain.delete(reference)
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
