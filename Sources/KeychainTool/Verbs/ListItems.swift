// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel
import KeychainObjects

/// `list`: prints the names of the items; on a terminal, in a table that fits it.
struct ListItems {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let prefix = arguments.operands.first?.lowercased() ?? ""
        let (now, onlyExpired) = (ItemExpiry.now(), arguments.has("expired"))
        var (lines, withheld) = ([] as [ItemLine], nil as Listing?)
        try Keychains.each(arguments.namedKeychains, arguments) { () throws(Failure) in
            let listing = Listing(.omitted)
            lines += try found(listing).filter { line in
                (prefix.isEmpty || line.name.lowercased().hasPrefix(prefix))
                    && (!onlyExpired || line.expiry?.isPast(now) == true)
            }
            if listing.withheld != nil { withheld = withheld ?? listing }
        }
        lines.sort { ($0.name, $0.kind) < ($1.name, $1.kind) }
        if arguments.has("json") {
            try Console.write(Self.json(lines))
        } else if Console.isTerminal(STDOUT_FILENO) {
            try Console.write(table(lines, now))
        } else {
            try Console.write(lines.map { $0.text(withKind: arguments.has("all"), now) }.joined())
        }
        try withheld?.finish()
    }

    /// The generic passwords; with `--all`, also internet passwords, certificates and keys.
    ///
    /// Without the package trait `Objects`, certificates and keys are left out.
    private func found(_ listing: Listing) throws(Failure) -> [ItemLine] {
        var lines = try listing.passwords(.genericPassword, withData: false).map(ItemLine.init)
        guard arguments.has("all") else { return lines }
        lines += try listing.passwords(.internetPassword, withData: false).map(ItemLine.init)
        #if Objects
        lines += try StoredObject.all(.certificate, in: listing).map(ItemLine.init)
        lines += try StoredObject.all(.key, withData: false, in: listing).map(ItemLine.init)
        #endif
        return lines
    }

    private static func json(_ lines: [ItemLine]) -> [UInt8] {
        var buffer = JSONBuffer(reservingCapacity: lines.count * ListedItem.usualSize)
        buffer.appendObject { object in
            object.appendName("schemaVersion")
            object.append(1)
            object.appendName("items")
            object.appendArray { for line in lines { line.item.append(to: &$0, value: nil) } }
        }
        buffer.appendNewline()
        return buffer.bytes
    }

    private func table(_ lines: [ItemLine], _ now: Double) -> String {
        let hasKind = arguments.has("all")
        return TextTable(
            header: ["name"] + (hasKind ? ["kind"] : []) + ["changed", "expires"],
            rows: lines.map { line in
                let expiry = line.expiry.map { $0.coloured(now) } ?? .init(text: "")
                return [.init(text: BlobText.line(line.name))] + (hasKind ? [.init(text: line.kind)] : [])
                    + [.init(text: line.changed), expiry]
            }
        )
        .text(width: HelpText.width)
    }
}

private struct ItemLine {
    let item: ListedItem
    let name: String
    let kind: String
    let expiry: ItemExpiry?

    init(_ item: ListedItem) {
        self.item = item
        let isGeneric = item.found.reference.itemClass == .genericPassword
        name = "\(item.string(isGeneric ? .service : .server))/\(item.string(.account))"
        kind = isGeneric ? "password" : "internet password"
        expiry = item.expiry
    }

    init(_ object: StoredObject) {
        item = ListedItem(found: object.found)
        name = object.label
        guard object.itemClass == .key else {
            kind = "certificate"
            expiry = object.certificate.map { ItemExpiry(date: $0.notAfter) }
            return
        }
        kind = object.isPrivateKey ? "private key" : "public key"
        expiry = ItemExpiry(object.attributes)
    }

    /// The day on which the item was last changed; empty if it is unknown.
    var changed: String {
        guard case .date(let date)? = item.found.attributes[.modificationDate] else { return "" }
        return CalendarText(secondsSince2001: date).day8601
    }

    /// Returns the line of the output for programs.
    ///
    /// Its fields are separated by tabs: the name, with `--all` the kind, and the expiry if there is one.
    func text(withKind: Bool, _ now: Double) -> String {
        let columns = [BlobText.line(name)] + (withKind ? [kind] : []) + (expiry.map { [$0.text(now)] } ?? [])
        return columns.joined(separator: "\t") + "\n"
    }
}

extension ItemExpiry {
    /// The day for a table: red if it is past, yellow within 30 days.
    fileprivate func coloured(_ now: Double) -> TextTable.Cell {
        .init(text: day, colour: isPast(now) ? 31 : isSoon(now) ? 33 : nil)
    }
}
