// SPDX-License-Identifier: Apache-2.0

import KeychainControl

/// `lock-keychain`: locks a keychain, or all keychains of the search list, for every program.
struct LockKeychain {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard arguments.has("all") else {
            try Keychains.useOperand(of: arguments)
            return try Self.lock()
        }
        var failure: Failure?
        try Keychains.each([], arguments) { () throws(Failure) in
            do throws(Failure) {
                // Without a passcode, a keychain cannot be locked.
                if try KeychainCalls.status("SecKeychainLockAll").passcodeIsSet { try Self.lock() }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private static func lock() throws(Failure) {
        try KeychainCalls.control("SecKeychainLock") { () throws(KeychainControlError) in
            try KeychainControl.lock()
        }
    }
}
