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
        guard !isRaw || !isJSON else { throw .usage("--raw and --json are mutually exclusive") }
        var query = try arguments.dictionary(for: passwordClass)
        let isAlone = isRaw || arguments.has("password-only")
        let wantsPassword = isAlone || arguments.has("show-password")
        query[kSecUseAuthenticationContext] = try arguments.context(
            asking: ["application password: "],
            isInteractive: isInteractive
        )
        if wantsPassword { query[kSecReturnData] = kCFBooleanTrue }
        if isJSON || !isAlone { query[kSecReturnAttributes] = kCFBooleanTrue }

        let result = try Keychains.first(arguments.operands, arguments, query) { () throws(Failure) in
            try KeychainCalls.find(query)
        }
        try write(result, wantsPassword: wantsPassword, isAlone: isAlone)
    }

    private func write(_ result: AnyObject?, wantsPassword: Bool, isAlone: Bool) throws(Failure) {
        if arguments.has("json") {
            try Console.write(ListedItem(result, passwordClass).json(withData: wantsPassword).text + "\n")
        } else if isAlone {
            let password = ListedItem.bytes(of: result)
            try Console.write(arguments.has("raw") ? password : BlobText.passwordLine(password))
        } else {
            let item = ListedItem(result, passwordClass)
            try Console.write(item.block(keychain: KeychainCalls.directory()))
            if wantsPassword { Console.say("password: \(BlobText.quoted(item.data))\n") }
        }
    }
}
