// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// A line of the attribute block.
struct AttributeRow {
    enum Format: String {
        case blob, timedate, uint32, sint32
    }

    /// What stands before the format: the attribute's name in quotation marks, or the number of one without a name.
    let tag: String
    let attribute: String
    let format: Format
    let classes: [PasswordClass]

    /// The lines in macOS's order, with what only one class has in its place.
    static let table: [AttributeRow] = [
        row(kSecAttrLabel, .blob, tag: "0x00000007 "),
        row(kSecAttrAlias, .blob, tag: "0x00000008 "),
        row(kSecAttrAccessControl, .blob),
        row(kSecAttrAccount, .blob),
        row(kSecAttrAuthenticationType, .blob, [.internet]),
        row(kSecAttrCreationDate, .timedate),
        row(kSecAttrCreator, .uint32),
        row("cusi", .sint32),
        row(kSecAttrDescription, .blob),
        row(kSecAttrGeneric, .blob, [.generic]),
        row(kSecAttrComment, .blob),
        row(kSecAttrIsInvisible, .sint32),
        row(kSecAttrModificationDate, .timedate),
        row(kSecAttrIsNegative, .sint32),
        row(kSecAttrPath, .blob, [.internet]),
        row(kSecAttrPort, .uint32, [.internet]),
        row("prot", .blob),
        row(kSecAttrProtocol, .uint32, [.internet]),
        row("scrp", .sint32),
        row(kSecAttrSecurityDomain, .blob, [.internet]),
        row(kSecAttrServer, .blob, [.internet]),
        row(kSecAttrService, .blob, [.generic]),
        row(kSecAttrType, .uint32),
    ]

    private static func row(
        _ attribute: CFString,
        _ format: Format,
        _ classes: [PasswordClass] = [.generic, .internet],
        tag: String? = nil
    ) -> AttributeRow {
        let name = attribute as String
        return AttributeRow(tag: tag ?? "\"\(name)\"", attribute: name, format: format, classes: classes)
    }

    func text(of value: Any?) -> String {
        "\(tag)<\(format.rawValue)>=\(valueText(value))"
    }

    private func valueText(_ value: Any?) -> String {
        switch value {
        case let text as String: text.isEmpty ? "<NULL>" : BlobText.quoted(text.utf8)
        case let data as Data: data.isEmpty ? "<NULL>" : BlobText.quoted(data)
        case let date as Date: BlobText.quoted(Array(CalendarText(date).compact.utf8) + [0])
        case let number as Int: BlobText.quoted(number: UInt32(truncatingIfNeeded: number))
        case let control as SecAccessControl:
            BlobText.quoted((AccessConstraints.text(of: control) ?? "").utf8)
        default: "<NULL>"
        }
    }
}
