// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// `delete-generic-password` and `delete-internet-password`: as on macOS, one item even if more match.
struct DeletePassword {
    let passwordClass: PasswordClass
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard arguments.occurrences.contains(where: { $0.option.attribute != nil && $0.option.kind != .flag })
        else {
            throw .usage("an attribute of the item is required")
        }
        try KeychainCalls.check(operands: arguments.operands)
        var query = try arguments.dictionary(for: passwordClass)
        query[kSecReturnAttributes] = kCFBooleanTrue
        query[kSecReturnPersistentRef] = kCFBooleanTrue
        let item = ListedItem(try KeychainCalls.find(query), passwordClass)
        guard let reference = item.persistentReference else {
            throw .status(errSecInvalidItemRef, step: "SecKeychainItemDelete")
        }
        try Console.write(item.block(keychain: KeychainCalls.directory()))
        try KeychainCalls.delete(NSData(data: reference))
        Console.say("password has been deleted.\n")
    }
}
