// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
package import KeychainStore

/// Performs the operations of a keychain, in this process or through the daemon.
package protocol KeychainBackend: AnyObject, Sendable {
    func perform(
        _ request: Request,
        for caller: Caller,
        with authentication: Authentication
    )
        throws(StatusError) -> Response
    func setPasscode(_ new: borrowing SecretBytes) throws(StatusError)
    func changePasscode(from old: borrowing SecretBytes, to new: borrowing SecretBytes) throws(StatusError)
    func countItemsNeedingPasscode(_ passcode: borrowing SecretBytes) throws(StatusError) -> Int
    func removePasscode(_ old: borrowing SecretBytes) throws(StatusError) -> Int
    func unlock(with passcode: borrowing SecretBytes) throws(StatusError)
    /// Verifies a passcode and returns the proof for later calls.
    func prove(_ passcode: borrowing SecretBytes) throws(StatusError) -> PasscodeProof
    func lock() throws(StatusError)
    func set(_ settings: LockSettings) throws(StatusError)
    func versions(in groups: [String]?) throws(StatusError) -> [ItemVersion]
    func itemCount(in groups: [String]) throws(StatusError) -> UInt64
}

/// The proof that the user has entered the passcode.
package enum PasscodeProof: Sendable {
    /// The key that opens items whose access control requires the passcode; for a store in this process.
    case key(AccessControlKey)
    /// A reference to that key, if the daemon keeps it.
    case kept(KeptKey)
}

extension EmbeddedKeychain: KeychainBackend {
    package func perform(
        _ request: Request,
        for caller: Caller,
        with authentication: Authentication
    ) throws(StatusError) -> Response {
        try perform(request, for: caller, with: authentication.credential)
    }

    package func setPasscode(_ new: borrowing SecretBytes) throws(StatusError) {
        try setPasscode(new, cost: nil)
    }

    package func changePasscode(
        from old: borrowing SecretBytes,
        to new: borrowing SecretBytes
    ) throws(StatusError) {
        try changePasscode(from: old, to: new, cost: nil)
    }

    package func prove(_ passcode: borrowing SecretBytes) throws(StatusError) -> PasscodeProof {
        .key(try authenticate(with: passcode))
    }
}
