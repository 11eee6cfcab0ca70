// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// The item classes that have verbs.
enum PasswordClass {
    case generic, internet

    var constant: CFString {
        switch self {
        case .generic: kSecClassGenericPassword
        case .internet: kSecClassInternetPassword
        }
    }
}

extension ScannedArguments {
    /// The class, and the attributes that the options name; of an option given twice the last counts.
    func dictionary(for passwordClass: PasswordClass) throws(Failure) -> ItemDictionary {
        try dictionary(ofClass: passwordClass.constant)
    }

    /// The same for the classes of objects; without a class only the attributes.
    func dictionary(ofClass itemClass: CFString?) throws(Failure) -> ItemDictionary {
        var dictionary = ItemDictionary()
        dictionary[kSecClass] = itemClass
        for occurrence in occurrences {
            guard let attribute = occurrence.option.attribute else { continue }
            dictionary[attribute] = try occurrence.option.attributeValue(of: occurrence.value ?? "")
        }
        return dictionary
    }
}

extension ToolOption {
    fileprivate func attributeValue(of text: String) throws(Failure) -> NSObject {
        switch kind {
        case .flag: return kCFBooleanTrue
        case .bytes: return NSData(data: Data(text.utf8))
        case .code: return NSString(string: try paddedCode(text))
        case .numericCode:
            return NSNumber(value: try paddedCode(text).utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        case .protection: return NSString(string: try Self.protectionClass(text))
        case .port:
            guard let port = UInt16(text) else { throw .usage("a port is a number from 0 to 65535") }
            return NSNumber(value: Int32(port))
        case .text, .secret, .hexadecimal, .passphrase, .pair: return NSString(string: text)
        }
    }

    /// Checks the name of a protection class; the error lists all names.
    static func protectionClass(_ text: String) throws(Failure) -> String {
        guard protectionClasses.contains(text) else {
            throw .usage("--accessible takes \(protectionClasses.joined(separator: ", "))")
        }
        return text
    }

    /// The names of the protection classes.
    static let protectionClasses = ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"]

    /// The four-character codes of protocols with longer names.
    private static let codes = [
        "https": "htps", "ftps": "ftps", "imaps": "imps", "ldaps": "ldps", "pop3s": "pops",
        "telnet": "teln", "telnets": "tels", "nntps": "ntps", "socks": "sox ", "appletalk": "atlk",
    ]

    private func paddedCode(_ text: String) throws(Failure) -> String {
        if attribute == kSecAttrProtocol as String, let code = Self.codes[text.lowercased()], code != text {
            throw .usage("the code of that protocol is \(code): use -r \(code)")
        }
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw .usage("a code has one to four characters of ASCII")
        }
        return text + String(repeating: " ", count: 4 - text.utf8.count)
    }
}
