// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
import Synchronization

/// Locking and passcodes.
///
/// Passcodes are bytes, 1 to 1,024 of them, compared as they are: what is not UTF-8 and what has a NUL is a passcode
/// like any other, and two ways to write one letter are two passcodes.
extension EmbeddedKeychain {
    /// Sets the first passcode, and leaves the keychain unlocked.
    ///
    /// `cost` is the work of making a key of it; by default what this machine does in the time that the user at the
    /// prompt does not mind.
    ///
    /// - Throws: `authenticationFailed` with `passcodeExists`; `invalidParameter` with `passcodeMalformed`.
    package func setPasscode(
        _ new: borrowing SecretBytes,
        cost: PasscodeCost? = nil
    ) throws(StatusError) {
        let key = try make(new, cost)
        try write { session throws(StatusError) in try session.setPasscode(key) }
    }

    /// Changes the passcode, and leaves the keychain unlocked.
    ///
    /// The class keys are wrapped anew, which takes the same time for every number of items.
    package func changePasscode(
        from old: borrowing SecretBytes,
        to new: borrowing SecretBytes,
        cost: PasscodeCost? = nil
    ) throws(StatusError) {
        let key = try make(new, cost)
        try prove(old) { session, proof throws(StatusError) in
            try session.changePasscode(from: proof, to: key)
        }
    }

    /// Counts the items that removing the passcode destroys; changes only the counter of wrong guesses.
    package func countItemsNeedingPasscode(_ passcode: borrowing SecretBytes) throws(StatusError) -> Int {
        try prove(passcode) { session, proof throws(StatusError) in
            try session.countItemsNeedingPasscode(proof)
        }
    }

    /// Removes the passcode, and with it the items that exist only while there is one.
    ///
    /// - Returns: how many items were purged.
    package func removePasscode(_ old: borrowing SecretBytes) throws(StatusError) -> Int {
        try prove(old) { session, proof throws(StatusError) in try session.removePasscode(proof) }
    }

    /// Unlocks for every process of the user that reaches the key cache.
    ///
    /// - Throws: `notAvailable` with `keyCacheUnavailable` if no configured key cache stores the keys; the keychain is
    ///   then unlocked for this process only.
    package func unlock(with passcode: borrowing SecretBytes) throws(StatusError) {
        let keyCache = try prove(passcode) { session, proof throws(StatusError) in
            try session.unlock(with: proof)
        }
        guard keyCache != .thisProcess || location.keyCacheLocations.isEmpty else {
            throw StatusError(.notAvailable, .keyCacheUnavailable)
        }
    }

    /// Proves a passcode right, and answers with what items under access control are opened with.
    ///
    /// The authenticator keeps the answer while its context is valid; it is never cached elsewhere.
    package func authenticate(with passcode: borrowing SecretBytes) throws(StatusError) -> AccessControlKey {
        try prove(passcode) { session, proof throws(StatusError) in
            try session.accessControlKey(provedBy: proof)
        }
    }

    /// Locks for every process.
    package func lock() throws(StatusError) {
        defer { discardOpened() }
        try write { session throws(StatusError) in try session.lock() }
    }

    /// Changes when the keychain locks by itself.
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

    /// Charges a guess, derives its key outside of every lock, and acts on a right one.
    private func prove<Result: Sendable>(
        _ passcode: borrowing SecretBytes,
        _ act: (WriteSession, PasscodeKey) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        // What cannot be a passcode costs no guess.
        try PasscodeDerivation.check(passcode)
        let lock = try GuessLock(in: store.directory)
        try lock.acquire()
        defer { lock.release() }
        let derivation = try write { session throws(StatusError) in try session.chargeGuess() }
        let proof = try derivation.key(of: passcode, with: keys)
        try write { session throws(StatusError) in try session.forgiveGuesses(provedBy: proof) }
        return try write { session throws(StatusError) in try act(session, proof) }
    }
}
