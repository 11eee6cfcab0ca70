// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// `cargo-credential`: implements cargo's credential provider protocol, version 1, with JSON lines.
struct CargoCredential {
    let arguments: ScannedArguments

    private static let version = 1

    func run() throws(Failure) {
        try Keychains.useOption(of: arguments)
        try write([("v", .array([.number(Self.version)]))])
        while let line = try StandardInput.nextLine() {
            guard !line.isEmpty else { continue }
            try answer(line)
        }
    }

    private func answer(_ line: [UInt8]) throws(Failure) {
        guard let request = JSONValue(line), request["v"]?.integer == Self.version,
            let kind = request["kind"]?.string, let index = request["registry"]?["index-url"]?.string
        else { return try fail("other", "the request is malformed or of another version") }
        do throws(Failure) {
            switch kind {
            case "get": try get(index)
            case "login": try login(index, request)
            case "logout": try logout(index)
            default: try fail("operation-not-supported")
            }
        } catch {
            switch error {
            case .message(let text, _): try fail("other", text)
            case .said: throw error
            default: try fail("other", StatusText.sentence(Status(rawValue: error.result)))
            }
        }
    }

    /// Returns the attributes of a registry's item, with the names that cargo's macOS provider uses.
    private func attributes(_ index: String) -> Attributes {
        var attributes = Attributes()
        attributes[.service] = .string("cargo-registry:\(index)")
        attributes[.account] = .string("")
        return attributes
    }

    private func find(_ index: String) throws(Failure) -> ListedItem? {
        try HelperItems.find(ItemFilter(itemClass: .genericPassword, attributes: attributes(index))).first
    }

    private func get(_ index: String) throws(Failure) {
        guard let item = try find(index) else { return try fail("not-found") }
        guard let token = String(validating: item.password, as: UTF8.self) else {
            return try fail("other", "the password is not UTF-8")
        }
        try succeed([
            ("kind", .string("get")), ("token", .string(token)), ("cache", .string("session")),
            ("operation_independent", .boolean(true)),
        ])
    }

    private func login(_ index: String, _ request: JSONValue) throws(Failure) {
        var token = request["token"]?.string.map { Array($0.utf8) }
        if token == nil {
            token = try SecretInput.ask(["token for \(BlobText.line(index)): "], for: "token")
        }
        guard let token, !token.isEmpty else { return try fail("other", "no token was given") }
        var item = attributes(index)
        item[.label] = .string("cargo: \(request["registry"]?["name"]?.string ?? index)")
        try HelperItems.store(.genericPassword, item, token)
        try succeed([("kind", .string("login"))])
    }

    private func logout(_ index: String) throws(Failure) {
        guard let item = try find(index) else { return try fail("not-found") }
        try HelperItems.delete(item)
        try succeed([("kind", .string("logout"))])
    }

    private func succeed(_ members: [(String, JSONText)]) throws(Failure) {
        try write([("Ok", .object(members))])
    }

    private func fail(_ kind: String, _ message: String? = nil) throws(Failure) {
        let text = message.map { [("message", JSONText.string($0)), ("caused-by", .array([]))] } ?? []
        try write([("Err", .object([("kind", .string(kind))] + text))])
    }

    private func write(_ members: [(String, JSONText)]) throws(Failure) {
        try Console.write(JSONText.object(members).line)
    }
}
