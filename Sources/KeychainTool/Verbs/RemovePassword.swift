// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainUserPresence

/// `rm`: deletes one item, without the passcode or authentication.
struct RemovePassword {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let name = try arguments.itemName()
        let deleted = try name.first(in: arguments.namedKeychains, arguments) { filter throws(Failure) in
            var request = DeleteRequest(filter: filter)
            request.limit = .one
            try KeychainCalls.perform(.delete(request), ContextState(), step: "SecKeychainItemDelete")
            return filter
        }
        try arguments.reportChange(.deleted, of: deleted.itemClass, deleted.attributes)
    }
}
