// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainServices

/// `dump-keychain`: prints the caller's unlocked passwords, certificates and keys, synchronizable ones included.
struct DumpKeychain {
    let arguments: ScannedArguments
    let isInteractive: Bool

    private static let step = "SecKeychainSearchCopyNext"

    func run() throws(Failure) {
        // Sealed data never leaves the store, and there are no access control lists to edit.
        for (option, letter) in [("raw-data", "r"), ("edit-access", "i")] where arguments.has(option) {
            throw .status(errSecUnimplemented, step: "dump-keychain -\(letter)")
        }
        var (texts, shown, closed, withheld) = ([] as [JSONText], 0, 0, nil as Failure?)
        try Keychains.each(arguments.operands, arguments) { () throws(Failure) in
            let context = try arguments.context(
                asking: ["application password: "],
                isInteractive: isInteractive
            )
            let listing = Listing(.told, context)
            let items = try find(.generic, listing) + find(.internet, listing)
            let objects =
                try StoredObject.all(.certificate, in: listing) + StoredObject.all(.key, in: listing)
            if arguments.has("json") {
                texts += json(items, objects)
            } else {
                try write(items, objects)
            }
            shown += items.count + objects.count
            guard listing.withheld != nil else { return }
            withheld = withheld ?? listing.withheld
            closed += try max(1, ownItemCount() - items.count - objects.count)
        }
        if arguments.has("json") { try Console.write(JSONText.array(texts).text + "\n") }
        guard let withheld else { return }
        let (count, verb) = closed == 1 ? ("item", "is") : ("items", "are")
        Console.complain("\(closed) \(count) \(verb) not shown: locked, or under access control")
        // If a locked keychain has unlocked items, the command succeeds.
        guard shown > 0, withheld.result == errSecInteractionNotAllowed else { throw withheld }
    }

    private func ownItemCount() throws(Failure) -> Int {
        Int(clamping: try KeychainCalls.failing(Self.step, body: SystemKeychain.ownItemCount))
    }

    private func json(_ items: [ListedItem], _ objects: [StoredObject]) -> [JSONText] {
        let withData = arguments.has("data")
        return items.map { $0.json(withData: withData) } + objects.map { $0.json(withData: withData) }
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
