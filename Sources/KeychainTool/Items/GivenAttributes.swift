// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The attributes that options set, converted to the types that the item class stores.
struct GivenAttributes {
    let itemClass: ItemClass
    /// All attributes except the synchronizable flag, which a filter has as a separate property.
    var attributes = Attributes()
    var isSynchronizable = false

    var filter: ItemFilter {
        ItemFilter(
            itemClass: itemClass,
            attributes: attributes,
            synchronizable: isSynchronizable ? .exactly(true) : .unspecified
        )
    }

    /// The attributes as an item stores them.
    var stored: Attributes {
        var stored = attributes
        if isSynchronizable { stored[.synchronizable] = .number(1) }
        return stored
    }
}

extension ScannedArguments {
    /// Returns the attributes that the options set; the last of repeated options applies.
    func attributes(of itemClass: ItemClass, step: String) throws(Failure) -> GivenAttributes {
        var given = GivenAttributes(itemClass: itemClass)
        let schema = ItemSchema.of(itemClass)
        for occurrence in occurrences {
            guard let attribute = occurrence.option.attribute else { continue }
            if attribute == .synchronizable {
                given.isSynchronizable = true
                continue
            }
            let value = try occurrence.option.suppliedValue(of: occurrence.value ?? "")
            given.attributes[attribute] = try KeychainCalls.recording(step) { () throws(StatusError) in
                guard let rule = schema[attribute] else {
                    throw StatusError(.noSuchAttribute, .foreignAttribute, attribute: attribute)
                }
                return try rule.kind.convert(value, for: attribute)
            }
        }
        return given
    }
}

extension ToolOption {
    /// Converts the value of an option that sets an attribute.
    func suppliedValue(of text: String) throws(Failure) -> SuppliedValue {
        switch kind {
        case .flag: return .boolean(true)
        case .bytes: return .data(SecretBuffer(text.utf8))
        case .code: return .string(try paddedCode(text))
        case .numericCode:
            return .number(Int64(try paddedCode(text).utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }))
        case .day: return .date(try Self.expiry(text))
        case .protection: return .string(try Self.protectionClass(text))
        case .port:
            guard let port = UInt16(text) else { throw .usage("a port is a number from 0 to 65535") }
            return .number(Int64(port))
        case .text, .secret, .hexadecimal, .passphrase, .pair: return .string(text)
        }
    }

    /// Parses a day as seconds since 2001-01-01 00:00 UTC; 0 stands for no expiry.
    static func expiry(_ text: String) throws(Failure) -> Double {
        guard text != "never" else { return 0 }
        guard let seconds = CalendarText.secondsSince1970(day: text) else {
            throw .usage("--expires takes never, or a date such as 2030-12-31")
        }
        return seconds - CalendarText.secondsTo2001
    }

    /// Checks the name of a protection class; the error lists all names.
    static func protectionClass(_ text: String) throws(Failure) -> String {
        guard protectionClasses.contains(text) else {
            throw .usage("--accessible takes \(protectionClasses.joined(separator: ", "))")
        }
        return text
    }

    static let protectionClasses = ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"]

    /// The four-character codes of protocols with longer names.
    private static let codes = [
        "https": "htps", "ftps": "ftps", "imaps": "imps", "ldaps": "ldps", "pop3s": "pops",
        "telnet": "teln", "telnets": "tels", "nntps": "ntps", "socks": "sox ", "appletalk": "atlk",
    ]

    private func paddedCode(_ text: String) throws(Failure) -> String {
        if attribute == .protocol, let code = Self.codes[text.lowercased()], code != text {
            throw .usage("the code of that protocol is \(code): use -r \(code)")
        }
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw .usage("a code has one to four characters of ASCII")
        }
        return text + String(repeating: " ", count: 4 - text.utf8.count)
    }
}
