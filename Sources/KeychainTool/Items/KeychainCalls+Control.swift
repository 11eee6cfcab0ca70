// SPDX-License-Identifier: Apache-2.0

import KeychainControl
import KeychainModel

/// The calls about the whole keychain, with errors as failures.
extension KeychainCalls {
    /// Runs a call, its error as a failure that says which step of macOS's it stands for.
    ///
    /// The directory is that of a keychain to be made; `nil` stands for that of the environment.
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

    /// Whether a passcode is set; where there is no keychain yet, none is.
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

    /// Fails where the passcode was set and no other program can use the unlocked keys.
    ///
    /// In interactive mode the later commands of this process can.
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

    /// The error after the directory that it concerns, if it does.
    static func described(_ error: KeychainControlError, in directory: String? = nil) -> String {
        let directory = directory.map(BlobText.line) ?? shownDirectory()
        guard !directory.isEmpty, error.concernsStore else { return error.description }
        return "\(directory): \(error.description)"
    }
}
