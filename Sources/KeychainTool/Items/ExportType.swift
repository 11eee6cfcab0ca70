// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainObjects

/// A value of `export -t`, which selects what is exported.
enum ExportType: String, CaseIterable {
    case certs, allcerts, pubKeys, privKeys, identities, all

    /// The items of the type in the current keychain.
    func items(in listing: Listing) throws(Failure) -> [StoredObject] {
        switch self {
        case .certs: return try certificatesWithoutKey(listing)
        case .allcerts: return try StoredObject.all(.certificate, in: listing)
        case .pubKeys: return try keys(.public, listing)
        case .privKeys: return try keys(.private, listing)
        case .identities: return try StoredObject.all(.identity, in: listing)
        case .all:
            let identities = try StoredObject.all(.identity, in: listing)
            let paired = Set(identities.map(\.applicationLabel))
            let privateKeys = try keys(.private, listing)
                .filter { !paired.contains($0.applicationLabel) }
            return try identities + certificatesWithoutKey(listing) + privateKeys
                + keys(.public, listing)
        }
    }

    private func certificatesWithoutKey(_ listing: Listing) throws(Failure) -> [StoredObject] {
        let paired = Set(try StoredObject.all(.identity, in: listing).compactMap { $0.certificate })
        return try StoredObject.all(.certificate, in: listing).filter { object in
            object.certificate.map { !paired.contains($0) } ?? true
        }
    }

    private func keys(_ half: KeyHalf, _ listing: Listing) throws(Failure) -> [StoredObject] {
        var attributes = Attributes()
        attributes[.keyClass] = .number(half.rawValue)
        return try StoredObject.all(.key, with: attributes, in: listing)
    }
}
