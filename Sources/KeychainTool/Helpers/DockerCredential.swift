// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// `docker-credential`: implements the helper protocol of Docker and Podman, with errors on standard output.
struct DockerCredential {
    let arguments: ScannedArguments

    private static let kind = "Docker credentials"

    /// The user name that stands for an identity token.
    static let tokenUser = "<token>"

    /// The error messages that Docker compares with its own, so they must not be changed.
    private static let notFound = "credentials not found in native keychain"
    private static let noServer = "no credentials server URL"
    private static let noUser = "no credentials username"

    func run() throws(Failure) {
        do throws(Failure) {
            try perform()
        } catch {
            if case .message(let text, _) = error {
                try Console.write(text + "\n")
            } else {
                try Console.write("the keychain cannot be used\n")
                _ = Session.report(error, verb: nil)
            }
            throw .said(result: 1)
        }
    }

    private func perform() throws(Failure) {
        try Keychains.useOption(of: arguments)
        switch arguments.operands.first {
        case "get": try get()
        case "store": try store()
        case "erase": try erase()
        case "list": try list()
        case "version":
            try Console.write("docker-credential-keychain (swift-keychain) v\(Help.version)\n")
        default:
            throw .message("Usage: docker-credential-keychain <store|get|erase|list|version>", result: 1)
        }
    }

    private func filter(_ server: String?) -> ItemFilter {
        var filter = ItemFilter(itemClass: .genericPassword)
        filter.attributes[.description] = .string(Self.kind)
        filter.attributes[.service] = server.map { .string($0) }
        return filter
    }

    /// Reads the server's URL, the whole content of standard input.
    private func server() throws(Failure) -> String {
        guard let text = String(validating: try StandardInput.message(), as: UTF8.self) else {
            throw .message(Self.noServer, result: 1)
        }
        let server = text.trimmed
        guard !server.isEmpty else { throw .message(Self.noServer, result: 1) }
        return server
    }

    private func get() throws(Failure) {
        let server = try server()
        guard let item = try HelperItems.find(filter(server)).first else {
            throw .message(Self.notFound, result: 1)
        }
        guard let secret = String(validating: item.password, as: UTF8.self) else {
            throw .message("the password is not UTF-8", result: 1)
        }
        let members: [(String, JSONText)] = [
            ("ServerURL", .string(server)), ("Username", .string(item.string(.account))),
            ("Secret", .string(secret)),
        ]
        try Console.write(JSONText.object(members).line)
    }

    private func store() throws(Failure) {
        let input = JSONValue(try StandardInput.message())
        guard let server = input?["ServerURL"]?.string?.trimmed, !server.isEmpty else {
            throw .message(Self.noServer, result: 1)
        }
        guard let user = input?["Username"]?.string, !user.isEmpty else {
            throw .message(Self.noUser, result: 1)
        }
        let secret = input?["Secret"]?.string ?? ""
        let attributes = Self.attributes(server: server, user: user)
        try HelperItems.change { () throws(Failure) in
            // Docker stores one user for each server, so items of other users are deleted.
            let others = try HelperItems.find(filter(server), withData: false).filter {
                $0.string(.account) != user
            }
            return others.map(HelperItems.deleting) + [
                try HelperItems.storing(.genericPassword, attributes, Array(secret.utf8))
            ]
        }
    }

    static func attributes(server: String, user: String) -> Attributes {
        var attributes = Attributes()
        attributes[.account] = .string(user)
        attributes[.service] = .string(server)
        attributes[.label] = .string("Docker: \(server)")
        attributes[.description] = .string(kind)
        return attributes
    }

    private func erase() throws(Failure) {
        let filter = filter(try server())
        try HelperItems.change(step: "SecKeychainItemDelete") { () throws(Failure) in
            let found = try HelperItems.find(filter, withData: false)
            guard !found.isEmpty else { throw .message(Self.notFound, result: 1) }
            return found.map(HelperItems.deleting)
        }
    }

    private func list() throws(Failure) {
        let found = try HelperItems.find(filter(nil), withData: false)
        let members = found.map { ($0.string(.service), JSONText.string($0.string(.account))) }
        try Console.write(JSONText.object(members.sorted { $0.0 < $1.0 }).line)
    }
}

extension String {
    var trimmed: String {
        let scalars = unicodeScalars.drop { $0.properties.isWhitespace }
        let end = scalars.lastIndex { !$0.properties.isWhitespace }
        return end.map { String(scalars[...$0]) } ?? ""
    }
}
