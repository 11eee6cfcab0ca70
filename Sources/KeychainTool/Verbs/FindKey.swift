// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainUserPresence

/// `find-key`: prints every matching key.
struct FindKey {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let query = try arguments.keyQuery()
        var (isFound, foreign, withheld) = (false, [] as [String], [] as [Listing])
        try Keychains.each(arguments.operands, arguments) { () throws(Failure) in
            let listing = Listing(.told)
            let keys = try StoredObject.all(.key, agreeingIn: query, in: listing)
            let directory = KeychainCalls.directory()
            for key in keys { try Console.write(key.block(keychain: directory)) }
            isFound = isFound || !keys.isEmpty
            if keys.isEmpty { foreign += foreignGroups(query) }
            if listing.withheld != nil { withheld.append(listing) }
        }
        try withheld.first?.finish()
        guard !isFound else { return }
        throw AccessGroups.missed(foreign)
    }

    private func foreignGroups(_ query: ItemDictionary) -> [String] {
        AccessGroups.foreign { () throws(Failure) in
            var query = query
            query[kSecAttrAccessGroup] = nil
            let state = ContextState()
            state.interactionNotAllowed = true
            return try StoredObject.all(.key, agreeingIn: query, in: Listing(.told, state)).compactMap(
                \.accessGroup
            )
        }
    }
}

extension ScannedArguments {
    /// The key class and attributes that the options give.
    func keyQuery() throws(Failure) -> ItemDictionary {
        var query = try dictionary(ofClass: kSecClassKey)
        if let label = value("application-label") {
            query[kSecAttrApplicationLabel] = NSData(
                data: Data(BlobText.bytes(hexadecimal: label) ?? Array(label.utf8))
            )
        }
        switch value("type") {
        case nil: break
        case "public": query[kSecAttrKeyClass] = kSecAttrKeyClassPublic
        case "private": query[kSecAttrKeyClass] = kSecAttrKeyClassPrivate
        case "symmetric": query[kSecAttrKeyClass] = kSecAttrKeyClassSymmetric
        default: throw .usage("the type must be public, private or symmetric")
        }
        return query
    }
}
