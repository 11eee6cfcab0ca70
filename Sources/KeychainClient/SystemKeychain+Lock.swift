// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
import KeychainStore

/// Locks and unlocks the process's keychain, and manages its passcode.
///
/// These operations are not requests, so that a passcode never becomes a copyable value.
extension SystemKeychain {
    package static func setPasscode(_ new: borrowing SecretBytes) throws(StatusError) {
        try withKeychain(creating: true) { keychain throws(StatusError) in try keychain.setPasscode(new) }
    }

    package static func changePasscode(
        from old: borrowing SecretBytes,
        to new: borrowing SecretBytes
    ) throws(StatusError) {
        try withKeychain { keychain throws(StatusError) in try keychain.changePasscode(from: old, to: new) }
    }

    /// Removes the passcode, and returns the number of items that were deleted with it.
    package static func removePasscode(_ old: borrowing SecretBytes) throws(StatusError) -> Int {
        try withKeychain { keychain throws(StatusError) in try keychain.removePasscode(old) }
    }

    /// Returns the number of items that removing the passcode would delete.
    package static func countItemsNeedingPasscode(
        _ passcode: borrowing SecretBytes
    ) throws(StatusError) -> Int {
        try withKeychain { keychain throws(StatusError) in
            try keychain.countItemsNeedingPasscode(passcode)
        }
    }

    package static func verify(_ passcode: borrowing SecretBytes) throws(StatusError) {
        try withKeychain { keychain throws(StatusError) in _ = try keychain.prove(passcode) }
    }

    package static func unlock(with passcode: borrowing SecretBytes) throws(StatusError) {
        try withKeychain { keychain throws(StatusError) in try keychain.unlock(with: passcode) }
    }

    package static func lock() throws(StatusError) {
        try withKeychain { keychain throws(StatusError) in try keychain.lock() }
    }

    package static func set(_ settings: LockSettings) throws(StatusError) {
        try withKeychain { keychain throws(StatusError) in try keychain.set(settings) }
    }

    /// Creates an embedded store with a passcode.
    package static func createStore(
        at directory: String?,
        passcode: borrowing SecretBytes
    ) throws(StatusError) {
        // Check the passcode first, so that an invalid one leaves no store without a passcode.
        try PasscodeDerivation.check(passcode)
        try createStore(at: directory).setPasscode(passcode)
    }
}
