// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainUserPresence

/// `rm`: deletes one item, without the passcode or authentication.
struct RemovePassword {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let keychains = arguments.namedKeychains
        let filter = try arguments.itemName().withAccount(in: keychains, arguments)
        var request = DeleteRequest(filter: filter)
        request.limit = .one
        try Keychains.first(keychains, arguments, filter) { () throws(Failure) in
            _ = try KeychainCalls.perform(.delete(request), ContextState(), step: "SecKeychainItemDelete")
        }
        try arguments.reportChange(.deleted, of: .genericPassword, filter.attributes)
    }
}
