// SPDX-License-Identifier: Apache-2.0

import KeychainControl

/// `lock-keychain`: locks the store for every program.
struct LockKeychain {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try Keychains.useOperand(of: arguments)
        try KeychainCalls.control("SecKeychainLock") { () throws(KeychainControlError) in
            try KeychainControl.lock()
        }
    }
}
