// SPDX-License-Identifier: Apache-2.0

import KeychainControl
import KeychainModel

/// Calls on the whole keychain that throw a `Failure` instead of a `KeychainControlError`.
extension KeychainCalls {
    /// Runs a call; converts its error to a `Failure` that starts with `step`.
    ///
    /// The step is the name of a macOS function or of the command. If the error concerns the store, the message also
    /// names `directory`, or if it is `nil`, the directory of the current keychain.
    static func control<Result>(
        _ step: String,
        in directory: String? = nil,
        _ body: () throws(KeychainControlError) -> Result
    ) throws(Failure) -> Result {
        do throws(KeychainControlError) {
            return try body()
        } catch {
            throw .store(
                Status(rawValue: error.status),
                step: step,
                detail: described(error, in: directory)
            )
        }
    }

    static func status(_ step: String) throws(Failure) -> KeychainStatus {
        try control(step) { () throws(KeychainControlError) in try KeychainControl.status() }
    }

    /// Whether a passcode is set; `false` if the keychain does not exist.
    static func passcodeIsSet(_ step: String) throws(Failure) -> Bool {
        try control(step) { () throws(KeychainControlError) in
            do throws(KeychainControlError) {
                return try KeychainControl.status().passcodeIsSet
            } catch {
                guard error.isMissingStore else { throw error }
                return false
            }
        }
    }

    /// Fails if the keychain is still locked for other programs.
    ///
    /// Interactive mode skips this check, because later commands of this process can use the unlocked keys.
    static func checkUnlocked(_ step: String, isInteractive: Bool) throws(Failure) {
        let status = try status(step)
        guard !isInteractive, status.keyCache == .thisProcess || status.lockState != .unlocked else { return }
        throw .store(
            .notAvailable,
            step: step,
            detail:
                "\(BlobText.line(status.directory)): the passcode is set, but the keychain is locked for other programs: "
                + "neither the kernel's keyring nor the runtime directory can store the unlocked keys"
        )
    }

    /// The description of an error; if the error concerns the store, preceded by the store's directory.
    static func described(_ error: KeychainControlError, in directory: String? = nil) -> String {
        let directory = directory.map(BlobText.line) ?? shownDirectory()
        guard !directory.isEmpty, error.concernsStore else { return error.description }
        return "\(directory): \(error.description)"
    }
}
