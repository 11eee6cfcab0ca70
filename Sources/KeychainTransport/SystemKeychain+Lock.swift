// SPDX-License-Identifier: Apache-2.0

import DataProtection
import KeychainEngine
package import KeychainModel
package import PrivateFiles

/// Locking and passcodes of the keychain that the functions of the API reach: no requests, since a passcode never
/// becomes a value that can be copied.
extension SystemKeychain {
    package static func setPasscode(_ new: borrowing SecretBytes) throws(KeychainError) {
        try withKeychain { keychain throws(KeychainError) in try keychain.setPasscode(new) }
    }

    package static func changePasscode(
        from old: borrowing SecretBytes,
        to new: borrowing SecretBytes
    ) throws(KeychainError) {
        try withKeychain { keychain throws(KeychainError) in try keychain.changePasscode(from: old, to: new) }
    }

    /// Answers how many items went with the passcode.
    package static func removePasscode(_ old: borrowing SecretBytes) throws(KeychainError) -> Int {
        try withKeychain { keychain throws(KeychainError) in try keychain.removePasscode(old) }
    }

    package static func verify(_ passcode: borrowing SecretBytes) throws(KeychainError) {
        try withKeychain { keychain throws(KeychainError) in _ = try keychain.authenticate(with: passcode) }
    }

    package static func unlock(with passcode: borrowing SecretBytes) throws(KeychainError) {
        try withKeychain { keychain throws(KeychainError) in try keychain.unlock(with: passcode) }
    }

    package static func lock() throws(KeychainError) {
        try withKeychain { keychain throws(KeychainError) in try keychain.lock() }
    }

    package static func set(_ settings: LockSettings) throws(KeychainError) {
        try withKeychain { keychain throws(KeychainError) in try keychain.set(settings) }
    }

    /// Makes an embedded store with a passcode.
    package static func createStore(
        at directory: String?,
        passcode: borrowing SecretBytes
    ) throws(KeychainError) {
        // Before there is a store, which would be one without a passcode.
        try PasscodeDerivation.check(passcode)
        try createStore(at: directory).setPasscode(passcode)
    }
}
