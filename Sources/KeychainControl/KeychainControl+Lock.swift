// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

extension KeychainControl {
    /// Sets the first passcode and leaves the keychain unlocked.
    ///
    /// The keychain is unlocked for all the user's programs, or for this process only if no key cache is
    /// available; see ``KeychainStatus/keyCache``.
    ///
    /// From then on, items of the classes `WhenUnlocked` and `AfterFirstUnlock` can only be decrypted with both
    /// the passcode and the device key. Key derivation deliberately takes a fraction of a second.
    ///
    /// - Parameter new: The passcode, 1 to 1,024 bytes.
    /// - Throws: ``KeychainControlError`` with `errSecAuthFailed` if a passcode is set already, `errSecParam`
    ///   if `new` is empty or longer than 1,024 bytes, `errSecAllocate` if there is not enough memory for key
    ///   derivation.
    public static func setPasscode(_ new: borrowing Passcode) throws(KeychainControlError) {
        try perform { () throws(StatusError) in try SystemKeychain.setPasscode(new.bytes) }
    }

    /// Changes the passcode and leaves the keychain unlocked, like ``setPasscode(_:)``.
    ///
    /// The call takes the same time for any number of items, which are not re-encrypted.
    ///
    /// - Parameters:
    ///   - old: The current passcode.
    ///   - new: The new passcode, 1 to 1,024 bytes.
    /// - Throws: ``KeychainControlError`` with `errSecAuthFailed` if no passcode is set, `old` is wrong, or it is
    ///   too early to try again after wrong passcodes; ``KeychainControlError/retryAfter`` then says how long
    ///   to wait. `errSecParam` if a passcode is empty or longer than 1,024 bytes, which does not count as an
    ///   attempt. `errSecReadOnly` if the store cannot be written: a passcode is checked only if a wrong one
    ///   can be counted.
    public static func changePasscode(
        from old: borrowing Passcode,
        to new: borrowing Passcode
    ) throws(KeychainControlError) {
        try perform { () throws(StatusError) in
            try SystemKeychain.changePasscode(from: old.bytes, to: new.bytes)
        }
    }

    /// Counts the items that ``removePasscode(_:)`` would destroy.
    ///
    /// These are the items of all programs that have the class `WhenPasscodeSetThisDeviceOnly` or an access
    /// control that requires user authentication.
    ///
    /// - Parameter passcode: The current passcode.
    /// - Returns: The number of items that would be destroyed.
    /// - Throws: As ``changePasscode(from:to:)``.
    public static func countItemsNeedingPasscode(
        _ passcode: borrowing Passcode
    ) throws(KeychainControlError) -> Int {
        try perform { () throws(StatusError) in try SystemKeychain.countItemsNeedingPasscode(passcode.bytes) }
    }

    /// Removes the passcode, so that the device key alone decrypts the remaining items.
    ///
    /// Destroys all items of the class `WhenPasscodeSetThisDeviceOnly` and all items whose access control
    /// requires user authentication; ``countItemsNeedingPasscode(_:)`` returns their number.
    ///
    /// - Parameter old: The current passcode.
    /// - Returns: The number of destroyed items.
    /// - Throws: As ``changePasscode(from:to:)``.
    @discardableResult
    public static func removePasscode(_ old: borrowing Passcode) throws(KeychainControlError) -> Int {
        try perform { () throws(StatusError) in try SystemKeychain.removePasscode(old.bytes) }
    }

    /// Checks a passcode without locking or unlocking the keychain.
    ///
    /// Returns if the passcode is correct, and throws otherwise. A wrong passcode adds to the count of wrong
    /// passcodes, and the correct one resets that count.
    ///
    /// - Parameter passcode: The passcode to check.
    /// - Throws: As ``changePasscode(from:to:)``.
    public static func verify(_ passcode: borrowing Passcode) throws(KeychainControlError) {
        try perform { () throws(StatusError) in try SystemKeychain.verify(passcode.bytes) }
    }

    /// Unlocks the keychain for all the user's programs.
    ///
    /// - Parameter passcode: The current passcode.
    /// - Throws: As ``changePasscode(from:to:)``; `errSecNotAvailable` if neither the kernel keyring nor the
    ///   runtime directory can store the unlocked keys. The keychain is then unlocked for this process only,
    ///   and ``KeychainStatus/keyCache`` is ``KeychainStatus/KeyCache-swift.struct/thisProcess``. Also
    ///   `errSecNotAvailable` if the file of unlocked keys belongs to another user or is accessible to other
    ///   users; in this case, nothing is unlocked.
    public static func unlock(with passcode: borrowing Passcode) throws(KeychainControlError) {
        try perform { () throws(StatusError) in try SystemKeychain.unlock(with: passcode.bytes) }
    }

    /// Locks the keychain for all programs, from their next call on.
    ///
    /// Items of the classes `AfterFirstUnlock` and `Always` stay readable.
    ///
    /// - Throws: ``KeychainControlError`` with `errSecAuthFailed` if no passcode is set; `errSecReadOnly` if
    ///   the store cannot be written: the keys are then removed from the key cache, but a program that has
    ///   already read the keys from the cache keeps them.
    public static func lock() throws(KeychainControlError) {
        try perform { () throws(StatusError) in try SystemKeychain.lock() }
    }

    /// Sets when the keychain locks automatically.
    ///
    /// - Parameters:
    ///   - interval: Seconds after an unlock; `nil` for never. *Differs*: macOS counts from the last use.
    ///   - onSleep: Whether the keychain also locks when the system sleeps.
    /// - Throws: ``KeychainControlError`` with `errSecAuthFailed` if no passcode is set,
    ///   `errSecInteractionNotAllowed` while the keychain is locked, `errSecParam` for 0 seconds. Nothing
    ///   changes in these cases.
    public static func setAutoLock(after interval: UInt32?, onSleep: Bool) throws(KeychainControlError) {
        let settings = LockSettings(interval: interval, locksOnSleep: onSleep)
        try perform { () throws(StatusError) in
            guard interval != 0 else { throw StatusError(.invalidParameter) }
            try SystemKeychain.set(settings)
        }
    }

    private static func perform<Result>(
        _ body: () throws(StatusError) -> Result
    ) throws(KeychainControlError) -> Result {
        do throws(StatusError) {
            return try body()
        } catch {
            throw KeychainControlError(recording: error)
        }
    }
}
