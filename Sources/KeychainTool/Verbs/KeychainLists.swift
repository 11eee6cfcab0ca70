// SPDX-License-Identifier: Apache-2.0

import KeychainServices

/// `login-keychain`, `default-keychain` and `list-keychains`: which keychains commands use that name none.
struct KeychainLists {
    let verb: Verb
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try checkDomain()
        let login = try Keychains.login("SecKeychainCopyDomainSearchList")
        guard arguments.has("set") else {
            guard arguments.operands.isEmpty else { throw .usage("-s sets what is named") }
            return try write(login)
        }
        var list = try SearchList.load(login)
        var directories: [String] = []
        for operand in arguments.operands { directories.append(try Keychains.existing(operand, arguments)) }
        if verb == .defaultKeychain {
            // The one of the environment is the default of its own accord.
            list.defaultKeychain = directories.first.flatMap { $0 == login ? nil : $0 }
        } else {
            list.keychains = directories
        }
        try list.save(login)
    }

    private func write(_ login: String) throws(Failure) {
        let directories =
            switch verb {
            case .defaultKeychain: try [SearchList.load(login).defaultKeychain ?? login]
            case .listKeychains: try SearchList.load(login).searched(login)
            default: [login]
            }
        // As macOS does, whatever is in a path: scripts take the lines for arguments.
        for directory in directories { try Console.write("    \"\(BlobText.line(directory))\"\n") }
    }

    /// There are keychains of the user and no others.
    private func checkDomain() throws(Failure) {
        switch arguments.value("domain") {
        case nil, "user": return
        case "system", "common", "dynamic":
            throw .message(
                "\(verb.rawValue) -d: there are keychains of the user alone",
                result: errSecUnimplemented
            )
        default: throw .usage("a domain is user, system, common or dynamic")
        }
    }
}
