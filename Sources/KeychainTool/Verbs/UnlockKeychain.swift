// SPDX-License-Identifier: Apache-2.0

import KeychainControl
import KeychainServices

/// `unlock-keychain`.
struct UnlockKeychain {
    let arguments: ScannedArguments
    let isInteractive: Bool

    private static let step = "SecKeychainUnlock <NULL>"

    func run() throws(Failure) {
        try KeychainCalls.check(operands: arguments.operands)
        let before = try KeychainCalls.status(Self.step)
        let directory = BlobText.line(before.directory)
        guard before.passcodeIsSet else {
            throw .store(errSecAuthFailed, step: Self.step, detail: "\(directory): no passcode is set")
        }
        let passcode = try PasscodeInput(arguments, isInteractive: isInteractive)
            .required("passcode", asking: ["password to unlock \(directory): "])
        try KeychainCalls.control(Self.step) { () throws(KeychainControlError) in
            try KeychainControl.unlock(with: passcode)
        }
        guard !isInteractive, before.keyHolder == .thisProcess else { return }
        throw .store(errSecNotAvailable, step: Self.step, detail: "\(directory): \(Self.nowhere)")
    }

    private static let nowhere =
        "there is no place for the unlocked keys: the kernel's keyring refuses them, and no runtime directory in memory is"
        + " named by XDG_RUNTIME_DIR"
}
