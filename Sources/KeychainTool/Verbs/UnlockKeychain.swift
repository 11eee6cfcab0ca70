// SPDX-License-Identifier: Apache-2.0

import KeychainControl
import KeychainModel

/// `unlock-keychain`.
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
            // Later commands of this process find the keychain unlocked.
            if arguments.isInteractive, error.isUnlockedForThisProcess { return }
            throw .store(
                Status(rawValue: error.status),
                step: Self.step,
                detail: KeychainCalls.described(error)
            )
        }
    }
}
