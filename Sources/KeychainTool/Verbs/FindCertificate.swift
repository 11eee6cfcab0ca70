// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// `find-certificate`.
struct FindCertificate {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try KeychainCalls.check(operands: arguments.operands)
        let listing = Listing(.told)
        let found = try StoredObject.all(.certificate, in: listing).filter(fits)
        guard let first = found.first else {
            try listing.finish()
            // All of none is none, and no mistake.
            if arguments.has("all") { return }
            throw .status(errSecItemNotFound, step: "SecKeychainSearchCopyNext")
        }
        let directory = KeychainCalls.directory()
        for certificate in arguments.has("all") ? found : [first] {
            try show(certificate, in: directory)
        }
        if arguments.has("all") { try listing.finish() }
    }

    private func fits(_ certificate: StoredObject) -> Bool {
        if let name = arguments.value("name"), !certificate.isNamed(name) { return false }
        guard let address = arguments.value("email")?.lowercased() else { return true }
        return certificate.emailAddresses.contains { $0.lowercased() == address }
    }

    private func show(_ certificate: StoredObject, in directory: String) throws(Failure) {
        if arguments.has("show-email") {
            let lines = certificate.emailAddresses.map { "    \(BlobText.quoted($0.utf8))\n" }
            try Console.write("email addresses:\n\(lines.joined())")
        }
        if arguments.has("hashes") { try Console.write(certificate.hashes) }
        try Console.write(arguments.has("pem") ? certificate.pem : certificate.block(keychain: directory))
    }
}
