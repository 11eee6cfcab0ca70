// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// `aws-credential`: prints an item in the format that AWS expects of a `credential_process`.
struct AWSCredential {
    let arguments: ScannedArguments

    /// The members that are copied from an item's JSON to the answer.
    private static let members = [
        "AccessKeyId", "SecretAccessKey", "SessionToken", "Expiration", "AccountId",
    ]

    func run() throws(Failure) {
        let name = try arguments.itemName()
        let item = try name.first(in: arguments.namedKeychains, arguments) { filter throws(Failure) in
            guard let item = try HelperItems.find(filter).first else {
                throw .status(.itemNotFound, step: "SecKeychainSearchCopyNext")
            }
            return item
        }
        guard let secret = String(validating: item.password, as: UTF8.self) else {
            throw .message("the password is not UTF-8", result: 1)
        }
        var members = [("Version", JSONText.number(1))]
        if let object = JSONValue(item.password), object["AccessKeyId"]?.string != nil {
            for name in Self.members {
                if let value = object[name]?.string { members.append((name, .string(value))) }
            }
            guard object["SecretAccessKey"]?.string != nil else {
                throw .message("the password has no SecretAccessKey", result: 1)
            }
        } else {
            members.append(("AccessKeyId", .string(item.string(.account))))
            members.append(("SecretAccessKey", .string(secret.trimmed)))
        }
        try Console.write(JSONText.object(members).line)
    }
}

/// `netrc`: prints internet passwords as lines of a `.netrc` file, as SwiftPM and curl read it.
struct NetrcLines {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try Keychains.useOption(of: arguments)
        var lines: [String] = []
        for host in arguments.operands.isEmpty ? [nil] : arguments.operands.map(Optional.some) {
            var filter = ItemFilter(itemClass: .internetPassword)
            if let host { filter.attributes[.server] = .string(host) }
            let found = try HelperItems.find(filter)
            guard host == nil || !found.isEmpty else {
                throw .status(.itemNotFound, step: "SecKeychainSearchCopyNext")
            }
            for item in found {
                guard let line = Self.line(item) else {
                    Console.complain("an item is left out: netrc has no form for its name or password")
                    continue
                }
                lines.append(line)
            }
        }
        try Console.write(lines.map { $0 + "\n" }.joined())
    }

    /// Formats a line; `nil` if a value would need quotation marks, which not every reader of netrc files knows.
    ///
    /// Such a value is empty, or contains white space, an ASCII control character, a double quotation mark or `#`. The
    /// result is also `nil` if the password is not UTF-8.
    private static func line(_ item: ListedItem) -> String? {
        guard let password = String(validating: item.password, as: UTF8.self) else { return nil }
        let values = [item.string(.server), item.string(.account), password]
        let isPlain = values.allSatisfy { value in
            !value.isEmpty
                && value.unicodeScalars.allSatisfy { scalar in
                    scalar.value > 0x20 && scalar.value != 0x7f && !scalar.properties.isWhitespace
                        && scalar != "\"" && scalar != "#"
                }
        }
        return isPlain ? "machine \(values[0]) login \(values[1]) password \(values[2])" : nil
    }
}

/// `askpass`: answers OpenSSH's questions for passphrases and passwords, and no others.
struct Askpass {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard let question = arguments.operands.first else { throw .usage("a question is required") }
        // Refuse confirmations, which only the user may give, and every unknown question, such as the one that
        // ssh-add asks after a wrong passphrase.
        guard Variable.string("SSH_ASKPASS_PROMPT").isEmpty, let filter = try Self.filter(question) else {
            throw .message("the keychain does not answer this question", result: 1)
        }
        try Keychains.useOption(of: arguments)
        guard let item = try HelperItems.find(filter).first else {
            throw .status(.itemNotFound, step: "SecKeychainSearchCopyNext")
        }
        try Console.write(item.password + [UInt8(ascii: "\n")])
    }

    /// Returns the filter for the item that a question asks for; `nil` for an unknown question.
    private static func filter(_ question: String) throws(Failure) -> ItemFilter? {
        if let path = middle(of: question, "Enter passphrase for key '", "': ")
            ?? middle(of: question, "Enter passphrase for ", ": ")
        {
            var filter = ItemFilter(itemClass: .genericPassword)
            // ssh-add of macOS stores passphrases under the same account, but with the service `OpenSSH`.
            filter.attributes[.service] = .string("SSH")
            filter.attributes[.account] = .string(unquoted(path))
            return filter
        }
        guard let login = middle(of: question, "", "'s password: "), let at = login.lastIndex(of: "@") else {
            return nil
        }
        return ItemFilter(
            itemClass: .internetPassword,
            attributes: try HelperItems.internet(
                server: String(login[login.index(after: at)...]),
                protocol: "ssh ",
                port: nil,
                path: nil,
                account: String(login[..<at])
            )
        )
    }

    private static func middle(of text: String, _ start: String, _ end: String) -> String? {
        guard text.hasPrefix(start), text.hasSuffix(end), text.count > start.count + end.count else {
            return nil
        }
        return String(text.dropFirst(start.count).dropLast(end.count))
    }

    /// Returns the path without quotation marks, and without the note that `ssh-add -c` appends.
    private static func unquoted(_ path: String) -> String {
        let note = " (will confirm each use)"
        let path = path.hasSuffix(note) ? String(path.dropLast(note.count)) : path
        return path.count > 1 && path.hasPrefix("\"") && path.hasSuffix("\"")
            ? String(path.dropFirst().dropLast()) : path
    }
}
