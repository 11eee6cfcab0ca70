// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// `list`: prints the names of the generic passwords, one per line.
struct ListPasswords {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let prefix = arguments.operands.first?.lowercased() ?? ""
        let (now, onlyExpired) = (ItemExpiry.now(), arguments.has("expired"))
        var (items, withheld) = ([] as [(name: String, item: ListedItem)], nil as Listing?)
        try Keychains.each(arguments.namedKeychains, arguments) { () throws(Failure) in
            let listing = Listing(.omitted)
            for item in try listing.passwords(.genericPassword, withData: false) {
                let name = "\(item.string(.service))/\(item.string(.account))"
                guard prefix.isEmpty || name.lowercased().hasPrefix(prefix) else { continue }
                if !onlyExpired || item.expiry?.isPast(now) == true { items.append((name, item)) }
            }
            if listing.withheld != nil { withheld = withheld ?? listing }
        }
        items.sort { $0.name < $1.name }
        if arguments.has("json") {
            try Console.write(JSONText.array(items.map { $0.item.json(withData: false) }).text + "\n")
        } else {
            let lines = items.map { name, item in
                BlobText.line(name) + (item.expiry.map { "\t\($0.text(now))" } ?? "") + "\n"
            }
            try Console.write(lines.joined())
        }
        try withheld?.finish()
    }
}
