// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Passcode and lock of the store, for every application in it.
extension TemporaryKeychain {
    /// Sets the passcode, or changes the one that the test has set, and leaves the keychain unlocked.
    ///
    /// Deriving a key of it takes no time: it is for tests alone.
    ///
    /// - Parameter new: The passcode, of 1 to 1,024 bytes in UTF-8.
    /// - Throws: ``TemporaryKeychainError`` with `errSecParam` for one of another length.
    public func setPasscode(_ new: String) throws(TemporaryKeychainError) {
        try perform { () throws(StatusError) in try store.setPasscode(new) }
    }

    /// Removes the passcode, and with it the items of the class `WhenPasscodeSetThisDeviceOnly`.
    ///
    /// - Parameter passcode: The passcode; by default the one that the test has set.
    /// - Returns: How many items went.
    /// - Throws: ``TemporaryKeychainError`` with `errSecAuthFailed` for a wrong passcode, and where none is set.
    @discardableResult
    public func removePasscode(_ passcode: String? = nil) throws(TemporaryKeychainError) -> Int {
        try perform { () throws(StatusError) in try store.removePasscode(passcode) }
    }

    /// Locks the keychain; the very next call finds it so.
    ///
    /// Items of the classes `AfterFirstUnlock` and `Always` stay open.
    ///
    /// - Throws: ``TemporaryKeychainError`` with `errSecAuthFailed` where no passcode is set.
    public func lock() throws(TemporaryKeychainError) {
        try perform { () throws(StatusError) in try store.lock() }
    }

    /// Unlocks the keychain.
    ///
    /// - Parameter passcode: The passcode; by default the one that the test has set.
    /// - Throws: ``TemporaryKeychainError`` with `errSecAuthFailed` for a wrong passcode, where none is set, and too
    ///   early after three wrong ones.
    public func unlock(passcode: String? = nil) throws(TemporaryKeychainError) {
        try perform { () throws(StatusError) in try store.unlock(passcode) }
    }

    /// Does what a restart of the machine does.
    ///
    /// With a passcode the keychain is as before the first unlock, so that items of the classes `Always` alone are open.
    /// Without one nothing changes.
    ///
    /// - Throws: ``TemporaryKeychainError`` where the store cannot be read.
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
