// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// An item as the API returns it, in the forms in which the tool prints it.
struct ListedItem {
    let attributes: [String: Any]
    let passwordClass: PasswordClass

    init(_ result: AnyObject?, _ passwordClass: PasswordClass) {
        attributes = result as? [String: Any] ?? [:]
        self.passwordClass = passwordClass
    }

    /// The password; an item without one is shown as one with an empty one, as on macOS.
    var data: Data { attributes[kSecValueData as String] as? Data ?? Data() }

    var persistentReference: Data? { attributes[kSecValuePersistentRef as String] as? Data }

    /// The bytes of a result that is data alone; none where the item has no password.
    static func bytes(of result: AnyObject?) -> [UInt8] {
        guard let data = result as? NSData else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: data.bytes, count: data.length))
    }

    /// The attribute block of macOS's `security`.
    func block(keychain: String) -> String {
        let constraints = AccessConstraints.text(of: attributes[kSecAttrAccessControl as String])
        let rows = AttributeRow.table.filter { row in
            row.classes.contains(passwordClass)
                && (row.attribute != kSecAttrAccessControl as String || constraints != nil)
        }
        return """
            keychain: \(BlobText.quoted(keychain.utf8))
            version: 512
            class: \(BlobText.quoted((passwordClass.constant as String).utf8))
            attributes:
            \(rows.map { "    \($0.text(of: attributes[$0.attribute]))\n" }.joined())
            """
    }

    /// Who can open the item and when.
    func access() -> String { Self.access(attributes) }

    static func access(_ attributes: [String: Any]) -> String {
        let group = attributes[kSecAttrAccessGroup as String] as? String ?? ""
        let accessible = attributes[kSecAttrAccessible as String] as? String ?? ""
        let synchronizable = attributes[kSecAttrSynchronizable as String] as? Int ?? 0
        return """
            access:
                group: \(BlobText.quoted(group.utf8))
                accessible: \(BlobText.quoted(accessible.utf8))
                synchronizable: \(synchronizable == 0 ? "no" : "yes")

            """
    }

    /// The documented object: `schemaVersion`, `class`, `attributes`, and `value` if it is asked for and there is one.
    func json(withData: Bool) -> JSONText {
        Self.json(
            itemClass: passwordClass.constant as String,
            attributes: attributes,
            value: withData ? attributes[kSecValueData as String] as? Data : nil
        )
    }

    /// The same of any class.
    static func json(itemClass: String, attributes: [String: Any], value: Data?) -> JSONText {
        let (valueKey, referenceKey) = (kSecValueData as String, kSecValuePersistentRef as String)
        let shown = attributes.filter { $0.key != valueKey && $0.key != referenceKey }
        var members: [(String, JSONText)] = [
            ("schemaVersion", .number(1)),
            ("class", .string(itemClass)),
            ("attributes", .object(shown.sorted { $0.key < $1.key }.compactMap(member))),
        ]
        if let value { members.append(("value", .bytes(value))) }
        return .object(members)
    }

    private static func member(_ name: String, _ value: Any) -> (String, JSONText)? {
        // The order matters: a number answers to Boolean casts too, text and data to none of the others.
        switch value {
        case let text as String: (name, .string(text))
        case let data as Data: (name, .bytes(data))
        case let date as Date: (name, .string(CalendarText(date).extended))
        case let number as Int: (name, .number(number))
        case let control as SecAccessControl:
            AccessConstraints.text(of: control).map { (name, .string($0)) }
        default: nil
        }
    }
}
