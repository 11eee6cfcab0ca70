// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// `login-keychain`, `default-keychain` and `list-keychains`: show or set the keychains used without an operand.
struct KeychainLists {
    enum List {
        case login, `default`, search
    }

    let list: List
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try checkDomain()
        let login = try Keychains.login("SecKeychainCopyDomainSearchList")
        guard arguments.has("set") else {
            guard arguments.operands.isEmpty else { throw .usage("operands are only valid with -s") }
            return try write(login)
        }
        var directories: [String] = []
        for operand in arguments.operands { directories.append(try Keychains.existing(operand, arguments)) }
        let chosen = directories
        try SearchList.change(login) { list in
            if self.list == .default {
                // Store nothing for the login keychain, which is the default anyway.
                list.defaultKeychain = chosen.first.flatMap { $0 == login ? nil : $0 }
            } else {
                list.keychains = chosen
            }
        }
    }

    private func write(_ login: String) throws(Failure) {
        let directories =
            switch list {
            case .default: try [SearchList.load(login).defaultKeychain ?? login]
            case .search: try SearchList.load(login).searched(login)
            case .login: [login]
            }
        if arguments.has("json") {
            let document = JSONText.object([
                ("schemaVersion", .number(1)), ("keychains", .array(directories.map { .string($0) })),
            ])
            return try Console.write(document.line)
        }
        // Quotation marks are not escaped, as on macOS: scripts use the lines as arguments.
        for directory in directories { try Console.write("    \"\(BlobText.line(directory))\"\n") }
    }

    private var name: String {
        switch list {
        case .login: "login-keychain"
        case .default: "default-keychain"
        case .search: "list-keychains"
        }
    }

    /// Refuses every domain but `user`.
    private func checkDomain() throws(Failure) {
        switch arguments.value("domain") {
        case nil, "user": return
        case "system", "common", "dynamic":
            throw .message(
                "\(name) -d: only the domain user exists",
                result: Status.unimplemented.rawValue
            )
        default: throw .usage("the domain must be user, system, common or dynamic")
        }
    }
}
