// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// A password item, with its output formats: attribute block, access control and JSON.
struct ListedItem {
    let found: FoundItem

    /// The password; empty for an item without one, as on macOS.
    var password: [UInt8] { found.secret?.bytes ?? [] }

    private var itemClass: ItemClass { found.reference.itemClass }

    /// The words of the access control; `nil` without constraints.
    private var constraints: String? { AccessConstraints.text(of: found.accessControl) }

    /// The attribute block that macOS's `security` prints for a password.
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
                text += "    \(row.text(of: .string(constraints)))\n"
            } else {
                text += "    \(row.text(of: found.attributes[row.attribute]))\n"
            }
        }
        return text
    }

    /// Formats the access group, accessibility and synchronizable flag, for `dump-keychain -a`.
    func access() -> String {
        """
        access:
            group: \(BlobText.quoted(string(.accessGroup).utf8))
            accessible: \(BlobText.quoted(string(.accessible).utf8))
            synchronizable: \(found.attributes[.synchronizable] == .number(1) ? "yes" : "no")

        """
    }

    /// The value of a string attribute; empty if the item does not have the attribute.
    func string(_ attribute: Attribute) -> String {
        guard case .string(let text) = found.attributes[attribute] else { return "" }
        return text
    }

    /// The object that `CommandLine.md` documents: `schemaVersion`, `class`, `attributes`, and optionally `value`.
    func json(withData: Bool) -> JSONText { json(value: withData ? found.secret?.bytes : nil) }

    /// The JSON object of the item, with `value` as its value; without that member if `value` is `nil`.
    func json(value: [UInt8]?) -> JSONText {
        var attributes = found.attributes.entries.map { ($0.attribute.name, JSONText($0.value)) }
        if let constraints { attributes.append((Attribute.accessControl.name, .string(constraints))) }
        var members: [(String, JSONText)] = [
            ("schemaVersion", .number(1)),
            ("class", .string(itemClass.name)),
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
            case .string(let text): .string(text)
            case .data(let data): .bytes(data)
            case .number(let number): .number(Int(number))
            case .date(let seconds): .string(CalendarText(secondsSince2001: seconds).extended)
            }
    }
}
