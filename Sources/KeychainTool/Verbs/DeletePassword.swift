// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// `delete-generic-password` and `delete-internet-password`: delete one item, even if several match, as on macOS.
struct DeletePassword {
    let passwordClass: PasswordClass
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard arguments.occurrences.contains(where: { $0.option.attribute != nil && $0.option.kind != .flag })
        else {
            throw .usage("an attribute of the item is required")
        }
        let query = try arguments.dictionary(for: passwordClass)
        try Keychains.first(arguments.operands, arguments, query) { () throws(Failure) in try delete(query) }
        Console.say("password has been deleted.\n")
    }

    private func delete(_ query: ItemDictionary) throws(Failure) {
        let context = LAContext()
        context.interactionNotAllowed = true
        var search = query
        search[kSecReturnAttributes] = kCFBooleanTrue
        search[kSecReturnPersistentRef] = kCFBooleanTrue
        search[kSecUseAuthenticationContext] = context
        let item: ListedItem
        do throws(Failure) {
            item = ListedItem(try KeychainCalls.find(search), passwordClass)
        } catch {
            // Deletion needs no key and no authentication; a locked item is deleted without being printed.
            guard case .status(let status, _, _) = error,
                [errSecInteractionNotAllowed, errSecAuthFailed].contains(status)
            else { throw error }
            return try KeychainCalls.deleteUnopened(query)
        }
        guard let reference = item.persistentReference else {
            throw .status(errSecInvalidItemRef, step: "SecKeychainItemDelete")
        }
        try Console.write(item.block(keychain: KeychainCalls.directory()))
        try KeychainCalls.delete(NSData(data: reference))
    }
}
