// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// A password item, with its output formats: attribute block, access control and JSON.
struct ListedItem {
    let found: FoundItem

    /// The password; empty for an item without one, as on macOS.
    var password: [UInt8] { found.secret?.bytes ?? [] }

    private var itemClass: ItemClass { found.reference.itemClass }

    var isSynchronizable: Bool { found.attributes[.synchronizable] == .number(1) }

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

    /// Formats the access group, accessibility, synchronizable flag and constraints, for `dump-keychain -a`.
    func access() -> String {
        """
        access:
            group: \(BlobText.quoted(string(.accessGroup).utf8))
            accessible: \(BlobText.quoted(string(.accessible).utf8))
            synchronizable: \(isSynchronizable ? "yes" : "no")
            access-control: \(constraints ?? "none")

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
    func json(value: [UInt8]?, adding members: [(String, JSONText)] = []) -> JSONText {
        var buffer = JSONBuffer(reservingCapacity: Self.usualSize)
        append(to: &buffer, value: value, adding: members)
        return .json(buffer.bytes)
    }

    /// The number of bytes to reserve for an item's JSON.
    static let usualSize = 512

    func append(to buffer: inout JSONBuffer, value: [UInt8]?, adding members: [(String, JSONText)] = []) {
        buffer.appendObject { object in
            object.appendName("schemaVersion")
            object.append(1)
            object.appendName("class")
            object.append(itemClass.name)
            object.appendName("attributes")
            object.appendObject(appendAttributes)
            if let value {
                object.appendName("value")
                object.append(data: value)
            }
            for (name, member) in members {
                object.appendName(name)
                member.append(to: &object)
            }
        }
    }

    private func appendAttributes(to object: inout JSONBuffer) {
        let bits = found.attributes.bits
        for (attribute, bit) in Self.sortedAttributes where bits & bit != 0 || attribute == .accessControl {
            let value =
                attribute == .accessControl ? constraints.map { .string($0) } : found.attributes[attribute]
            guard let value else { continue }
            object.appendName(attribute.name)
            object.append(value)
        }
    }

    /// All attributes, sorted by their names, each with its bit in the mask ``Attributes/bits``.
    private static let sortedAttributes = Attribute.allCases.sorted { $0.name < $1.name }
        .map { (attribute: $0, bit: UInt128(1) << UInt128($0.rawValue)) }
}

extension Attributes {
    /// A JSON object whose members are the attributes, sorted by their four-letter names.
    var json: JSONText {
        var buffer = JSONBuffer()
        buffer.appendObject { object in
            for entry in entries.sorted(by: { $0.attribute.name < $1.attribute.name }) {
                object.appendName(entry.attribute.name)
                object.append(entry.value)
            }
        }
        return .json(buffer.bytes)
    }
}

extension JSONBuffer {
    fileprivate mutating func append(_ value: AttributeValue) {
        switch value {
        case .string(let text): append(text)
        case .data(let bytes): append(data: bytes)
        case .number(let number): append(Int(number))
        case .date(let seconds): append(CalendarText(secondsSince2001: seconds))
        }
    }
}
