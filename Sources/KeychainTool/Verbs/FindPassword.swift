// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// `find-generic-password` and `find-internet-password`.
struct FindPassword {
    let passwordClass: PasswordClass
    let arguments: ScannedArguments
    let isInteractive: Bool

    func run() throws(Failure) {
        let isRaw = arguments.has("raw")
        let isJSON = arguments.has("json")
        guard !isRaw || !isJSON else { throw .usage("--raw and --json exclude each other") }
        try KeychainCalls.check(operands: arguments.operands)
        var query = try arguments.dictionary(for: passwordClass)
        let isAlone = isRaw || arguments.has("password-only")
        let wantsPassword = isAlone || arguments.has("show-password")
        query[kSecUseAuthenticationContext] = try arguments.context(
            asking: ["application password: "],
            isInteractive: isInteractive
        )
        if wantsPassword { query[kSecReturnData] = kCFBooleanTrue }
        if isJSON || !isAlone { query[kSecReturnAttributes] = kCFBooleanTrue }

        let result = try KeychainCalls.find(query)
        if isJSON {
            try Console.write(ListedItem(result, passwordClass).json(withData: wantsPassword).text + "\n")
        } else if isAlone {
            let password = ListedItem.bytes(of: result)
            try Console.write(isRaw ? password : BlobText.passwordLine(password))
        } else {
            let item = ListedItem(result, passwordClass)
            try Console.write(item.block(keychain: KeychainCalls.directory()))
            if wantsPassword { Console.say("password: \(BlobText.quoted(item.data))\n") }
        }
    }
}
