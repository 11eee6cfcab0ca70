// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// `git-credential`: implements git's helper protocol (gitcredentials(7), git-credential(1)).
struct GitCredential {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard let operation = arguments.operands.first else {
            throw .usage("an operation is required: get, store or erase")
        }
        // Newer versions of git may add operations, and a helper must ignore unknown ones.
        guard ["get", "store", "erase"].contains(operation) else { return }
        try Keychains.useOption(of: arguments)
        guard let message = try GitMessage(StandardInput.message()), let target = message.target else {
            return
        }
        switch operation {
        case "get": try get(message, target)
        case "store": try store(message, target)
        default: try erase(message, target)
        }
    }

    private func get(_ message: GitMessage, _ target: GitMessage.Target) throws(Failure) {
        let filter = try message.filter(target)
        let now = time(nil)
        for item in try HelperItems.find(filter) {
            guard let secret = GitSecret(item.password), !secret.isExpired(at: now) else { continue }
            guard let text = secret.answer(account: item.string(.account), to: message) else { continue }
            return try Console.write(text)
        }
    }

    private func store(_ message: GitMessage, _ target: GitMessage.Target) throws(Failure) {
        guard let account = message["username"], message["ephemeral"] != "1",
            let secret = GitSecret(of: message)
        else { return }
        var attributes = try HelperItems.internet(
            server: target.host,
            protocol: target.code,
            port: target.port,
            path: message["path"] ?? "",
            account: account
        )
        attributes[.label] = .string("\(target.host) (\(account))")
        try HelperItems.store(.internetPassword, attributes, secret.bytes)
    }

    /// Deletes the matching items; if the message has a secret, only items with the same secret.
    private func erase(_ message: GitMessage, _ target: GitMessage.Target) throws(Failure) {
        let rejected = GitSecret(of: message)
        for item in try HelperItems.find(message.filter(target)) {
            let secret = GitSecret(item.password)
            if let rejected, secret?.isSame(as: rejected) != true { continue }
            try HelperItems.delete(item)
        }
    }
}

/// A request of git: the attributes of a credential, one per line.
struct GitMessage {
    private let fields: [(name: String, value: String)]

    struct Target {
        let code: String
        let host: String
        let port: Int64
    }

    /// Parses a message up to an empty line; `nil` if it is not UTF-8.
    ///
    /// - Throws: An error for a carriage return or a zero byte, which some parsers treat as the end of a line.
    init?(_ bytes: [UInt8]) throws(Failure) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var fields: [(name: String, value: String)] = []
        for line in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty { break }
            guard !line.contains("\r"), !line.contains("\0") else {
                throw .message("the credential has a carriage return or a zero byte", result: 1)
            }
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            fields.append((String(parts[0]), String(parts[1])))
        }
        self.fields = fields
    }

    /// The last value of a field; `nil` if the message does not have the field.
    subscript(name: String) -> String? { fields.last { $0.name == name }?.value }

    func has(capability: String) -> Bool {
        fields.contains { $0.name == "capability[]" && $0.value == capability }
    }

    /// The scheme, host and port; `nil` without a known scheme or a host.
    var target: Target? {
        guard let name = self["protocol"], let code = SchemeCode.code(of: name),
            let host = self["host"], !host.isEmpty
        else { return nil }
        // The host may be an IPv6 address in brackets.
        guard let colon = host.lastIndex(of: ":"), !host.hasSuffix("]"),
            let port = UInt16(host[host.index(after: colon)...])
        else { return Target(code: code, host: host, port: 0) }
        return Target(code: code, host: String(host[..<colon]), port: Int64(port))
    }

    /// Returns the filter for items of the target; the user name and path must match if the message has them.
    func filter(_ target: Target) throws(Failure) -> ItemFilter {
        ItemFilter(
            itemClass: .internetPassword,
            attributes: try HelperItems.internet(
                server: target.host,
                protocol: target.code,
                port: target.port,
                path: self["path"],
                account: self["username"].flatMap { $0.isEmpty ? nil : $0 }
            )
        )
    }
}

/// The stored value of a credential: the password, then the other fields, one per line.
///
/// The format is that of git-credential-osxkeychain, so that each helper reads the items of the other.
struct GitSecret {
    private var password: String
    private var fields: [(name: String, value: String)] = []

    private static let stored = ["password_expiry_utc", "oauth_refresh_token", "authtype", "credential"]

    /// Parses the value of an item; `nil` if it is not a credential.
    init?(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains("\0"),
            !text.unicodeScalars.contains("\r")
        else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        password = lines[0]
        for line in lines.dropFirst() where !line.isEmpty {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            // Any line after the first that is not a stored field shows that another program stored the value.
            guard parts.count == 2, Self.stored.contains(String(parts[0])) else { return nil }
            fields.append((String(parts[0]), String(parts[1])))
        }
    }

    /// Creates the secret from a message; `nil` if the message has neither a password nor a credential.
    init?(of message: GitMessage) {
        password = message["password"] ?? ""
        fields = Self.stored.compactMap { name in message[name].map { (name, $0) } }
        guard !password.isEmpty || message["credential"] != nil else { return nil }
    }

    var bytes: [UInt8] {
        Array((password + fields.map { "\n\($0.name)=\($0.value)" }.joined()).utf8)
    }

    private subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    func isExpired(at now: Int) -> Bool {
        self["password_expiry_utc"].flatMap { Int($0) }.map { $0 <= now } ?? false
    }

    func isSame(as other: GitSecret) -> Bool {
        password == other.password && self["credential"] == other["credential"]
    }

    /// Returns the answer to a message; `nil` if git could not parse or does not support the answer.
    func answer(account: String, to message: GitMessage) -> String? {
        guard !account.unicodeScalars.contains(where: { "\n\r\0".unicodeScalars.contains($0) }) else {
            return nil
        }
        var lines: [String] = []
        if let type = self["authtype"], let credential = self["credential"] {
            guard message.has(capability: "authtype") else { return nil }
            lines = ["capability[]=authtype", "authtype=\(type)", "credential=\(credential)"]
        }
        if !account.isEmpty { lines.append("username=\(account)") }
        if !password.isEmpty { lines.append("password=\(password)") }
        for name in ["password_expiry_utc", "oauth_refresh_token"] {
            if let value = self[name] { lines.append("\(name)=\(value)") }
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
