// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainUserPresence

/// `set`: stores the password of one item, or replaces it.
struct SetPassword {
    let arguments: ScannedArguments

    private static let attempts = 16

    func run() throws(Failure) {
        let name = try arguments.itemName()
        guard let account = name.account else { throw .usage("the account is required: SERVICE/ACCOUNT") }
        let secret = try NewSecret(arguments)
        let given = try arguments.attributes(of: .genericPassword, step: "SecKeychainItemModifyContent")
        try Keychains.useOption(of: arguments)
        let password = try secret.read()
        var new = given
        new.attributes[.service] = .string(name.service)
        new.attributes[.account] = .string(account)
        // Retry, because another process may add or delete the item between two of these calls.
        for _ in 0..<Self.attempts {
            do throws(Failure) {
                return try update(name, given, password)
            } catch .status(.itemNotFound, _, _) {}
            do throws(Failure) {
                try AddPassword(.genericPassword, arguments).add(new, nil, password, ContextState())
                return try arguments.reportChange(.added, of: .genericPassword, new.stored)
            } catch .status(.duplicateItem, _, _) {}
        }
        throw .status(.duplicateItem, step: "SecKeychainItemModifyContent")
    }

    /// Updates the item of a name; with `--synchronizable`, also makes a local item synchronizable.
    ///
    /// - Throws: `itemNotFound` if there is no such item.
    private func update(
        _ name: ItemName,
        _ given: GivenAttributes,
        _ password: [UInt8]
    ) throws(Failure) {
        try name.find(prefersSynchronizable: given.isSynchronizable) { filter throws(Failure) in
            let found = try GetPassword.item(filter, returning: .persistentReference).found.reference
            let update = UpdateRequest(
                filter: ItemFilter(itemClass: filter.itemClass, reference: found),
                attributes: given.stored,
                secret: SecretBuffer(password)
            )
            try KeychainCalls.perform(.update(update), ContextState(), step: "SecKeychainItemModifyContent")
            var attributes = filter.attributes
            for entry in given.stored.entries { attributes[entry.attribute] = entry.value }
            if filter.synchronizable == .exactly(true) { attributes[.synchronizable] = .number(1) }
            try arguments.reportChange(.updated, of: filter.itemClass, attributes)
        }
    }
}
