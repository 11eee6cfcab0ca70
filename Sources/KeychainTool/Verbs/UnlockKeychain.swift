// SPDX-License-Identifier: Apache-2.0

import KeychainControl
import KeychainModel

/// `unlock-keychain`: unlocks the store for every program of the user.
struct UnlockKeychain {
    let arguments: ScannedArguments

    private static let step = "SecKeychainUnlock <NULL>"

    func run() throws(Failure) {
        try Keychains.useOperand(of: arguments)
        let before = try KeychainCalls.status(Self.step)
        let directory = BlobText.line(before.directory)
        guard before.passcodeIsSet else {
            throw .store(.authenticationFailed, step: Self.step, detail: "\(directory): no passcode is set")
        }
        let passcode = try PasscodeInput(arguments)
            .required("passcode", asking: ["password to unlock \(directory): "])
        do throws(KeychainControlError) {
            try KeychainControl.unlock(with: passcode)
        } catch {
            // In interactive mode this is no failure: later commands of this process find the keychain unlocked.
            if arguments.isInteractive, error.isUnlockedForThisProcess { return }
            throw .store(
                Status(rawValue: error.status),
                step: Self.step,
                detail: KeychainCalls.described(error)
            )
        }
    }
}
