// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// A line of the attribute block that macOS's `security` prints for an item.
struct AttributeRow {
    enum Format: String {
        case blob, timedate, uint32, sint32
    }

    /// The quoted name of the attribute, or its number if unnamed.
    let tag: String
    let attribute: Attribute
    let format: Format
    let classes: ItemClassSet

    init(
        _ tag: String,
        _ attribute: Attribute,
        _ format: Format,
        classes: ItemClassSet = .passwords
    ) {
        self.tag = tag
        self.attribute = attribute
        self.format = format
        self.classes = classes
    }

    /// The rows of generic and internet passwords, in macOS's order.
    static let table: [AttributeRow] = [
        row(.label, .blob, tag: "0x00000007 "),
        row(.alias, .blob, tag: "0x00000008 "),
        row(.accessControl, .blob),
        row(.account, .blob),
        row(.authenticationType, .blob, .internet),
        row(.creationDate, .timedate),
        row(.creator, .uint32),
        row(.hasCustomIcon, .sint32),
        row(.description, .blob),
        row(.generic, .blob, .generic),
        row(.comment, .blob),
        row(.isInvisible, .sint32),
        row(.modificationDate, .timedate),
        row(.isNegative, .sint32),
        row(.path, .blob, .internet),
        row(.port, .uint32, .internet),
        row(.dataProtected, .blob),
        row(.protocol, .uint32, .internet),
        row(.scriptCode, .sint32),
        row(.securityDomain, .blob, .internet),
        row(.server, .blob, .internet),
        row(.service, .blob, .generic),
        row(.type, .uint32),
    ]

    private static func row(
        _ attribute: Attribute,
        _ format: Format,
        _ classes: ItemClassSet = .passwords,
        tag: String? = nil
    ) -> AttributeRow {
        AttributeRow(tag ?? "\"\(attribute.name)\"", attribute, format, classes: classes)
    }

    func text(of value: AttributeValue?) -> String {
        "\(tag)<\(format.rawValue)>=\(Self.valueText(value))"
    }

    private static func valueText(_ value: AttributeValue?) -> String {
        switch value {
        case .string(let text): text.isEmpty ? "<NULL>" : BlobText.quoted(text.utf8)
        case .data(let data): data.isEmpty ? "<NULL>" : BlobText.quoted(data)
        case .date(let seconds):
            BlobText.quoted(Array(CalendarText(secondsSince2001: seconds).compact.utf8) + [0])
        case .number(let number): BlobText.quoted(number: UInt32(truncatingIfNeeded: number))
        case nil: "<NULL>"
        }
    }
}
