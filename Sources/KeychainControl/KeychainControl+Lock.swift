// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

extension KeychainControl {
    /// Sets the first passcode, and leaves the keychain unlocked.
    ///
    /// It is unlocked for every program of the user, or for this process only if no other process can use the unlocked
    /// keys; see ``KeychainStatus/keyCache``.
    ///
    /// From then on items of the classes `WhenUnlocked` and `AfterFirstUnlock` are opened by the passcode together with
    /// the device key. The call takes a fraction of a second on purpose.
    ///
    /// - Parameter new: 1 to 1,024 bytes.
    /// - Throws: ``KeychainControlError`` with `errSecAuthFailed` where there is a passcode already, `errSecParam` for one
    ///   that has no bytes or more than 1,024, `errSecAllocate` where there is no memory for the derivation.
    public static func setPasscode(_ new: borrowing Passcode) throws(KeychainControlError) {
        try perform { () throws(StatusError) in try SystemKeychain.setPasscode(new.bytes) }
    }

    /// Changes the passcode, and leaves the keychain unlocked, as ``setPasscode(_:)`` does.
    ///
    /// It takes the same time for every number of items.
    ///
    /// - Parameters:
    ///   - old: The passcode that is set.
    ///   - new: 1 to 1,024 bytes.
    /// - Throws: ``KeychainControlError`` with `errSecAuthFailed` where no passcode is set, for a wrong one, or too early
    ///   after wrong ones: then ``KeychainControlError/retryAfter`` says how long to wait. `errSecParam` for a passcode
    ///   that has no bytes or more than 1,024, which counts as no guess; `errSecReadOnly` where the store cannot be
    ///   written: a guess that cannot be counted is not tried.
    public static func changePasscode(
        from old: borrowing Passcode,
        to new: borrowing Passcode
    ) throws(KeychainControlError) {
        try perform { () throws(StatusError) in
            try SystemKeychain.changePasscode(from: old.bytes, to: new.bytes)
        }
    }

    /// Counts the items that ``removePasscode(_:)`` would destroy now.
    ///
    /// These are the items of all programs that have the class `WhenPasscodeSetThisDeviceOnly` or an access control that
    /// requires the user.
    ///
    /// - Parameter passcode: The passcode that is set.
    /// - Returns: The number of items that would be destroyed.
    /// - Throws: As ``changePasscode(from:to:)``.
    public static func countItemsNeedingPasscode(
        _ passcode: borrowing Passcode
    ) throws(KeychainControlError) -> Int {
        try perform { () throws(StatusError) in try SystemKeychain.countItemsNeedingPasscode(passcode.bytes) }
    }

    /// Removes the passcode: the device key alone opens the keychain again.
    ///
    /// Destroys all items of the class `WhenPasscodeSetThisDeviceOnly`, and all items whose access control requires the
    /// user; ``countItemsNeedingPasscode(_:)`` returns their number.
    ///
    /// - Parameter old: The passcode that is set.
    /// - Returns: How many items went.
    /// - Throws: As ``changePasscode(from:to:)``.
    @discardableResult
    public static func removePasscode(_ old: borrowing Passcode) throws(KeychainControlError) -> Int {
        try perform { () throws(StatusError) in try SystemKeychain.removePasscode(old.bytes) }
    }

    /// Checks a passcode and changes nothing, except that a wrong one counts, and a right one forgives those before it.
    ///
    /// It returns if the passcode is right, whether the keychain is locked or not, and leaves it so.
    ///
    /// - Parameter passcode: The passcode to check.
    /// - Throws: As ``changePasscode(from:to:)``.
    public static func verify(_ passcode: borrowing Passcode) throws(KeychainControlError) {
        try perform { () throws(StatusError) in try SystemKeychain.verify(passcode.bytes) }
    }

    /// Unlocks the keychain for every program of the user.
    ///
    /// - Parameter passcode: The passcode that is set.
    /// - Throws: As ``changePasscode(from:to:)``; `errSecNotAvailable` if neither the kernel's keyring nor the runtime
    ///   directory can store the unlocked keys; the keychain is then unlocked for this process only, and
    ///   ``KeychainStatus/keyCache`` says so. The same status if the file of unlocked keys belongs to another user or is
    ///   accessible to others; nothing is unlocked then.
    public static func unlock(with passcode: borrowing Passcode) throws(KeychainControlError) {
        try perform { () throws(StatusError) in try SystemKeychain.unlock(with: passcode.bytes) }
    }

    /// Locks the keychain: the next call of every program finds it so.
    ///
    /// Items of the classes `AfterFirstUnlock` and `Always` stay open.
    ///
    /// - Throws: ``KeychainControlError`` with `errSecAuthFailed` where no passcode is set; `errSecReadOnly` where the
    ///   store cannot be written: no program can then read the keys from the key cache, but programs that have them keep them.
    public static func lock() throws(KeychainControlError) {
        try perform { () throws(StatusError) in try SystemKeychain.lock() }
    }

    /// Changes when the keychain locks by itself.
    ///
    /// - Parameters:
    ///   - interval: The seconds after an unlock, or `nil` for never. *Differs*: macOS counts from the last use.
    ///   - onSleep: Whether it is locked after the machine has slept.
    /// - Throws: ``KeychainControlError`` with `errSecAuthFailed` where no passcode is set, `errSecInteractionNotAllowed`
    ///   while the keychain is locked, `errSecParam` for 0 seconds. Nothing changes then.
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
