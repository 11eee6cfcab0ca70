// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// `set`: stores the password of one item, or replaces it.
struct SetPassword {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let name = try arguments.itemName()
        guard let account = name.account else { throw .usage("the account is required: SERVICE/ACCOUNT") }
        let secret = try NewSecret(arguments)
        var given = try arguments.attributes(of: .genericPassword, step: "SecKeychainItemModifyContent")
        try Keychains.useOption(of: arguments)
        let password = try secret.read()
        given.attributes[.service] = .string(name.service)
        given.attributes[.account] = .string(account)
        try AddPassword(.genericPassword, arguments).store(given, password)
    }
}
