// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The passcode and lock state of the store.
///
/// They are the same for every application that a test runs as, with `withApplication`.
extension TemporaryKeychain {
    /// Sets or changes the passcode and leaves the keychain unlocked.
    ///
    /// Key derivation is fast and thus weak, so such a store is suitable only for tests.
    ///
    /// - Parameter new: The passcode, of 1 to 1,024 bytes in UTF-8.
    /// - Throws: ``TemporaryKeychainError`` with `errSecParam` if the length is invalid.
    public func setPasscode(_ new: String) throws(TemporaryKeychainError) {
        try perform { () throws(StatusError) in try store.setPasscode(new) }
    }

    /// Removes the passcode and all items that need it.
    ///
    /// These are the items of the class `WhenPasscodeSetThisDeviceOnly`, and the items with an access control that
    /// requires user authentication.
    ///
    /// - Parameter passcode: The passcode; by default the one that the test set.
    /// - Returns: The number of removed items.
    /// - Throws: ``TemporaryKeychainError``, such as `errSecAuthFailed` if the passcode is wrong or none is set.
    @discardableResult
    public func removePasscode(_ passcode: String? = nil) throws(TemporaryKeychainError) -> Int {
        try perform { () throws(StatusError) in try store.removePasscode(passcode) }
    }

    /// Locks the keychain for all subsequent calls.
    ///
    /// Items of the classes `AfterFirstUnlock` and `Always` stay readable.
    ///
    /// - Throws: ``TemporaryKeychainError`` with `errSecAuthFailed` if no passcode is set.
    public func lock() throws(TemporaryKeychainError) {
        try perform { () throws(StatusError) in try store.lock() }
    }

    /// Unlocks the keychain.
    ///
    /// - Parameter passcode: The passcode; by default the one that the test set.
    /// - Throws: ``TemporaryKeychainError`` with `errSecAuthFailed` if the passcode is wrong, none is set, or
    ///   it is too early to try again after four or more wrong ones in a row.
    public func unlock(passcode: String? = nil) throws(TemporaryKeychainError) {
        try perform { () throws(StatusError) in try store.unlock(passcode) }
    }

    /// Simulates a restart of the machine.
    ///
    /// With a passcode, the keychain returns to the state before the first unlock: only items of the classes
    /// `Always` are readable. Without a passcode, nothing changes.
    ///
    /// - Throws: ``TemporaryKeychainError`` if the store cannot be read, or if it has a passcode and the system
    ///   service serves it.
    public func restart() throws(TemporaryKeychainError) { try store.restart() }

    private func perform<Result>(
        _ body: () throws(StatusError) -> Result
    ) throws(TemporaryKeychainError) -> Result {
        do throws(StatusError) {
            return try body()
        } catch {
            throw TemporaryKeychainError(error)
        }
    }
}
