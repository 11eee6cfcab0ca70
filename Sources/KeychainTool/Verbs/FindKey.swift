// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel
import KeychainObjects
import KeychainUserPresence

/// `find-key`: prints every matching key.
struct FindKey {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let query = try arguments.keyQuery()
        var (isFound, foreign, withheld) = (false, [] as [String], [] as [Listing])
        var documents: [JSONText] = []
        try Keychains.each(arguments.operands, arguments) { () throws(Failure) in
            let listing = Listing(.omitted)
            let keys = try StoredObject.all(.key, with: query, in: listing)
            let directory = KeychainCalls.directory()
            if arguments.has("json") {
                documents += keys.map { $0.json(withData: false) }
            } else {
                for key in keys { try Console.write(key.block(keychain: directory)) }
            }
            isFound = isFound || !keys.isEmpty
            if keys.isEmpty { foreign += foreignGroups(query) }
            if listing.withheld != nil { withheld.append(listing) }
        }
        if arguments.has("json"), isFound { try Console.write(JSONText.array(documents).line) }
        try withheld.first?.finish()
        guard !isFound else { return }
        throw AccessGroups.missed(foreign)
    }

    private func foreignGroups(_ query: Attributes) -> [String] {
        AccessGroups.foreign { () throws(Failure) in
            var query = query
            query[.accessGroup] = nil
            let state = ContextState()
            state.interactionNotAllowed = true
            return try StoredObject.all(.key, with: query, in: Listing(.omitted, state))
                .compactMap(\.accessGroup)
        }
    }
}

extension ScannedArguments {
    func keyQuery() throws(Failure) -> Attributes {
        var query = try attributes(of: .key, step: "SecKeychainSearchCopyNext").attributes
        if let label = value("application-label") {
            query[.applicationLabel] = .data(
                BlobText.bytes(hexadecimal: label) ?? Array(label.utf8)
            )
        }
        switch value("type") {
        case nil: break
        case "public": query[.keyClass] = .number(KeyHalf.public.rawValue)
        case "private": query[.keyClass] = .number(KeyHalf.private.rawValue)
        case "symmetric": query[.keyClass] = .number(Self.symmetricClass)
        default: throw .usage("the type must be public, private or symmetric")
        }
        return query
    }

    /// The class of symmetric keys, which the keychain does not contain.
    private static let symmetricClass: Int64 = 2
}
