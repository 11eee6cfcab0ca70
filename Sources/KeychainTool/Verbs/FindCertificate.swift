// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// `find-certificate`: prints matching certificates.
struct FindCertificate {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let showsAll = arguments.has("all")
        var (isFound, foreign, withheld) = (false, [] as [String], [] as [Listing])
        var documents: [JSONText] = []
        try Keychains.each(arguments.operands, arguments) { () throws(Failure) in
            guard showsAll || !isFound else { return }
            let listing = Listing(.omitted)
            let found = try StoredObject.all(.certificate, in: listing).filter(fits)
            let directory = KeychainCalls.directory()
            for certificate in showsAll ? found : Array(found.prefix(1)) {
                guard arguments.has("json") else {
                    try show(certificate, in: directory)
                    continue
                }
                documents.append(certificate.json(withData: arguments.has("pem")))
            }
            isFound = isFound || !found.isEmpty
            if found.isEmpty { foreign += foreignGroups() }
            if listing.withheld != nil { withheld.append(listing) }
        }
        if arguments.has("json"), showsAll || isFound {
            try Console.write(JSONText.array(documents).line)
        }
        if showsAll || !isFound { try withheld.first?.finish() }
        guard !isFound else { return }
        // Listing all certificates succeeds even if there are none.
        guard showsAll else { throw AccessGroups.missed(foreign) }
        AccessGroups.tell(of: foreign)
    }

    private func foreignGroups() -> [String] {
        AccessGroups.foreign { () throws(Failure) in
            try StoredObject.all(.certificate, in: Listing(.omitted)).filter(fits).compactMap(\.accessGroup)
        }
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
