// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// `dump-keychain`: every password, certificate and key of the caller, those that synchronize included.
struct DumpKeychain {
    let arguments: ScannedArguments
    let isInteractive: Bool

    func run() throws(Failure) {
        try KeychainCalls.check(operands: arguments.operands)
        // Sealed data never leaves the store, and there are no lists to edit.
        for (option, letter) in [("raw-data", "r"), ("edit-access", "i")] where arguments.has(option) {
            throw .status(errSecUnimplemented, step: "dump-keychain -\(letter)")
        }
        let context = try arguments.context(asking: ["application password: "], isInteractive: isInteractive)
        let listing = Listing(.told, context)
        let items = try find(.generic, listing) + find(.internet, listing)
        let objects = try StoredObject.all(.certificate, in: listing) + StoredObject.all(.key, in: listing)
        let withData = arguments.has("data")
        if arguments.has("json") {
            let texts =
                items.map { $0.json(withData: withData) } + objects.map { $0.json(withData: withData) }
            try Console.write(JSONText.array(texts).text + "\n")
        } else {
            try write(items, objects)
        }
        try listing.finish()
    }

    private func write(_ items: [ListedItem], _ objects: [StoredObject]) throws(Failure) {
        let directory = items.isEmpty && objects.isEmpty ? "" : KeychainCalls.directory()
        for item in items { try Console.write(text(of: item, in: directory)) }
        for object in objects {
            try Console.write(
                object.dump(
                    keychain: directory,
                    withData: arguments.has("data"),
                    withAccess: arguments.has("access")
                )
            )
        }
    }

    private func find(_ passwordClass: PasswordClass, _ listing: Listing) throws(Failure) -> [ListedItem] {
        var query = ItemDictionary()
        query[kSecClass] = passwordClass.constant
        query[kSecReturnAttributes] = kCFBooleanTrue
        if arguments.has("data") { query[kSecReturnData] = kCFBooleanTrue }
        return try listing.find(query).map { ListedItem($0, passwordClass) }
    }

    private func text(of item: ListedItem, in directory: String) -> String {
        var text = item.block(keychain: directory)
        if arguments.has("data") { text += "data:\n\(BlobText.quoted(item.data))\n" }
        if arguments.has("access") { text += item.access() }
        return text
    }
}
