// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// A password in the forms in which the tool prints it.
struct ListedItem {
    let found: FoundItem

    /// The password; an item without one is shown as one with an empty one, as on macOS.
    var password: [UInt8] { found.secret.map { Array($0) } ?? [] }

    private var itemClass: ItemClass { found.reference.itemClass }

    /// The words of the access control; `nil` without constraints.
    private var constraints: String? { AccessConstraints.text(of: found.accessControl) }

    /// The attribute block of macOS's `security`.
    func block(keychain: String) -> String {
        var text = """
            keychain: \(BlobText.quoted(keychain.utf8))
            version: 512
            class: \(BlobText.quoted(itemClass.name.utf8))
            attributes:

            """
        for row in AttributeRow.table where row.classes.contains(itemClass) {
            if row.attribute == .accessControl {
                guard let constraints else { continue }
                text += "    \(row.text(of: .text(constraints)))\n"
            } else {
                text += "    \(row.text(of: found.attributes[row.attribute]))\n"
            }
        }
        return text
    }

    /// Who can open the item and when.
    func access() -> String {
        Self.access(
            group: string(.accessGroup),
            accessible: string(.accessible),
            isSynchronizable: found.attributes[.synchronizable] == .number(1)
        )
    }

    private func string(_ attribute: Attribute) -> String {
        guard case .text(let text) = found.attributes[attribute] else { return "" }
        return text
    }

    static func access(group: String, accessible: String, isSynchronizable: Bool) -> String {
        """
        access:
            group: \(BlobText.quoted(group.utf8))
            accessible: \(BlobText.quoted(accessible.utf8))
            synchronizable: \(isSynchronizable ? "yes" : "no")

        """
    }

    /// The documented object: `schemaVersion`, `class`, `attributes`, and `value` if it is asked for and there is one.
    func json(withData: Bool) -> JSONText {
        var attributes = found.attributes.entries.map { ($0.attribute.name, JSONText($0.value)) }
        if let constraints { attributes.append((Attribute.accessControl.name, .string(constraints))) }
        return Self.json(
            itemClass: itemClass.name,
            attributes: attributes,
            value: withData ? found.secret.map { Array($0) } : nil
        )
    }

    /// The same of any class.
    static func json(
        itemClass: String,
        attributes: [(String, JSONText)],
        value: [UInt8]?
    ) -> JSONText {
        var members: [(String, JSONText)] = [
            ("schemaVersion", .number(1)),
            ("class", .string(itemClass)),
            ("attributes", .object(attributes.sorted { $0.0 < $1.0 })),
        ]
        if let value { members.append(("value", .bytes(value))) }
        return .object(members)
    }
}

extension JSONText {
    init(_ value: AttributeValue) {
        self =
            switch value {
            case .text(let text): .string(text)
            case .data(let data): .bytes(Array(data))
            case .number(let number): .number(Int(number))
            case .date(let seconds): .string(CalendarText(secondsSince2001: seconds).extended)
            }
    }
}
