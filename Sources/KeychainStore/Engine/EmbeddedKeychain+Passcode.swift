// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
import Synchronization

/// Locks and unlocks the keychain, and manages its passcode.
///
/// A passcode is 1 to 1,024 arbitrary bytes: it need not be UTF-8, may contain NUL, and is not normalized.
///
/// Except for `setPasscode`, all functions throw `authenticationFailed` with `noPasscode` if no passcode is set.
/// Those that verify a passcode also throw `authenticationFailed` with `passcodeWrong` or `tooManyGuesses`, and
/// `invalidParameter` with `passcodeMalformed`.
extension EmbeddedKeychain {
    /// Sets a passcode while none is set, and leaves the keychain unlocked.
    ///
    /// `cost` is the cost of the key derivation; `nil` selects ``PasscodeCost/calibrated()``.
    ///
    /// - Throws: `authenticationFailed` with `passcodeExists`; `invalidParameter` with `passcodeMalformed`.
    package func setPasscode(
        _ new: borrowing SecretBytes,
        cost: PasscodeCost? = nil
    ) throws(StatusError) {
        try PasscodeDerivation.check(new)
        try write { session throws(StatusError) in try session.checkNoPasscode() }
        let key = try make(new, cost)
        try write { session throws(StatusError) in try session.setPasscode(key) }
    }

    /// Changes the passcode and leaves the keychain unlocked.
    ///
    /// Only class keys are rewrapped, so the time does not depend on the number of items.
    package func changePasscode(
        from old: borrowing SecretBytes,
        to new: borrowing SecretBytes,
        cost: PasscodeCost? = nil
    ) throws(StatusError) {
        try PasscodeDerivation.check(old)
        try PasscodeDerivation.check(new)
        let lock = try GuessLock(in: store.directory)
        try lock.acquire()
        defer { lock.release() }
        let proof = try verify(old)
        let key = try make(new, cost)
        try write { session throws(StatusError) in try session.changePasscode(from: proof, to: key) }
    }

    /// Verifies the passcode, and counts the items that removing it would delete.
    ///
    /// This changes nothing but the guess counter.
    package func countItemsNeedingPasscode(_ passcode: borrowing SecretBytes) throws(StatusError) -> Int {
        try prove(passcode) { session, proof throws(StatusError) in
            try session.countItemsNeedingPasscode(proof)
        }
    }

    /// Removes the passcode, the items whose protection class requires one, and those that require the user to
    /// authenticate.
    ///
    /// - Returns: The number of removed items.
    package func removePasscode(_ old: borrowing SecretBytes) throws(StatusError) -> Int {
        try prove(old) { session, proof throws(StatusError) in try session.removePasscode(proof) }
    }

    /// Unlocks the keychain for all processes of the user that can read the key cache.
    ///
    /// - Throws: `notAvailable` with `keyCacheUnavailable` if the configured key caches do not store all keys. The
    ///   keychain is then unlocked, but other processes lack the keys that were not stored.
    package func unlock(with passcode: borrowing SecretBytes) throws(StatusError) {
        let keyCache = try prove(passcode) { session, proof throws(StatusError) in
            try session.unlock(with: proof)
        }
        guard keyCache != .thisProcess || location.keyCacheLocations.isEmpty else {
            throw StatusError(.notAvailable, .keyCacheUnavailable)
        }
    }

    /// Verifies a passcode and returns the key that opens items whose access control requires it.
    ///
    /// The client or the daemon keeps this key while the authentication context is valid; no key cache stores it.
    package func authenticate(with passcode: borrowing SecretBytes) throws(StatusError) -> AccessControlKey {
        try prove(passcode) { session, proof throws(StatusError) in
            try session.accessControlKey(provedBy: proof)
        }
    }

    /// Locks the keychain in all processes.
    package func lock() throws(StatusError) {
        try write { session throws(StatusError) in try session.lock() }
    }

    /// Changes when the keychain locks automatically.
    package func set(_ settings: LockSettings) throws(StatusError) {
        try write { session throws(StatusError) in try session.set(settings) }
    }

    private func make(
        _ passcode: borrowing SecretBytes,
        _ cost: PasscodeCost?
    ) throws(StatusError) -> PasscodeKey {
        let cost: PasscodeCost = if let cost { cost } else { try PasscodeCost.calibrated() }
        return try PasscodeDerivation.make(for: passcode, cost: cost, with: keys)
    }

    /// Verifies a passcode and calls `act` with the key derived from it.
    ///
    /// The guess is counted before the key is derived. During the derivation, this process holds the
    /// ``GuessLock``, but has no open transaction.
    func prove<Result: Sendable>(
        _ passcode: borrowing SecretBytes,
        _ act: (WriteSession, PasscodeKey) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        // A malformed passcode does not count as a guess.
        try PasscodeDerivation.check(passcode)
        let lock = try GuessLock(in: store.directory)
        try lock.acquire()
        defer { lock.release() }
        let proof = try verify(passcode)
        return try write { session throws(StatusError) in try act(session, proof) }
    }

    /// Counts and verifies a guess, and returns the passcode's key; the caller holds the ``GuessLock``.
    private func verify(_ passcode: borrowing SecretBytes) throws(StatusError) -> PasscodeKey {
        let derivation = try write { session throws(StatusError) in try session.countGuess() }
        let proof = try derivation.key(of: passcode, with: keys)
        try write { session throws(StatusError) in try session.resetGuesses(provedBy: proof) }
        return proof
    }
}
