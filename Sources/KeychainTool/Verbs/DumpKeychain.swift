// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// `dump-keychain`: prints the passwords, certificates and keys that this program can read, also synchronizable ones.
struct DumpKeychain {
    let arguments: ScannedArguments

    private static let step = "SecKeychainSearchCopyNext"

    func run() throws(Failure) {
        // Encrypted data never leaves the store, and there are no access control lists to edit.
        for (option, letter) in [("raw-data", "r"), ("edit-access", "i")] where arguments.has(option) {
            throw .status(.unimplemented, step: "dump-keychain -\(letter)")
        }
        var (texts, shown, closed, withheld) = ([] as [JSONText], 0, 0, nil as Failure?)
        try Keychains.each(arguments.operands, arguments) { () throws(Failure) in
            let state = try arguments.authentication(asking: ["application password: "])
            let listing = Listing(.omitted, state)
            let withData = arguments.has("data")
            let items =
                try listing.passwords(.genericPassword, withData: withData)
                + listing.passwords(.internetPassword, withData: withData)
            let objects = try objects(in: listing)
            if arguments.has("json") {
                texts += json(items, objects)
            } else {
                try write(items, objects)
            }
            shown += items.count + objects.count
            guard listing.withheld != nil else {
                return try checkComplete(items.count + objects.count)
            }
            withheld = withheld ?? listing.withheld
            closed += try max(1, ownItemCount() - items.count - objects.count)
        }
        if arguments.has("json") { try Console.write(JSONText.array(texts).line) }
        guard let withheld else { return }
        let (count, verb) = closed == 1 ? ("item", "is") : ("items", "are")
        Console.complain("\(closed) \(count) \(verb) not shown: locked, or under access control")
        // The command succeeds if it has shown some items and the others are locked. It fails if it has shown
        // none, or if the user cancelled or failed the authentication.
        guard shown > 0, withheld.result == Status.interactionNotAllowed.rawValue else { throw withheld }
    }

    private func objects(in listing: Listing) throws(Failure) -> [StoredObject] {
        #if Objects
        return try StoredObject.all(.certificate, in: listing) + StoredObject.all(.key, in: listing)
        #else
        return []
        #endif
    }

    /// Reports the certificates and keys that a build without the package trait `Objects` leaves out.
    private func checkComplete(_ shown: Int) throws(Failure) {
        #if !Objects
        let count = try ownItemCount() - shown
        guard count > 0 else { return }
        Console.complain(
            "keys and certificates are not shown (\(count)): this needs a build with the package trait Objects"
        )
        #endif
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

    private func text(of item: ListedItem, in directory: String) -> String {
        var text = item.block(keychain: directory)
        if arguments.has("data") { text += "data:\n\(BlobText.quoted(item.password))\n" }
        if arguments.has("access") { text += item.access() }
        return text
    }
}
