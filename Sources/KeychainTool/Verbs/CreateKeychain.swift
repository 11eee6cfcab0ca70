// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainControl
import KeychainModel

/// `create-keychain`: creates a store, by default the one that the environment selects.
struct CreateKeychain {
    let arguments: ScannedArguments

    private static let step = "SecKeychainCreate"

    /// Returns the directory to create; `nil` for the directory that the environment selects.
    private func directory() throws(Failure) -> String? {
        SystemKeychain.useStore(at: nil)
        guard let operand = arguments.operands.first else { return nil }
        guard let directory = try Keychains.directory(operand, acceptsForeignPaths: false) else {
            throw .store(
                .noSuchKeychain,
                step: Self.step,
                detail:
                    "a keychain must be a path with a slash, or a name without a leading dot"
            )
        }
        return try directory == Keychains.login() ? nil : directory
    }

    func run() throws(Failure) {
        let directory = try directory()
        let passcode = try PasscodeInput(arguments)
            .optional(
                "passcode",
                asking: ["passcode for new keychain: ", "retype passcode for new keychain: "]
            )
        guard let passcode else {
            return try KeychainCalls.control(Self.step, in: directory) { () throws(KeychainControlError) in
                try KeychainControl.create(at: directory)
            }
        }
        PasscodeInput.warn(ofGuessable: passcode)
        try KeychainCalls.control(Self.step, in: directory) { () throws(KeychainControlError) in
            try KeychainControl.create(at: directory, passcode: passcode)
        }
        if let directory { SystemKeychain.useStore(at: directory) }
        try KeychainCalls.checkUnlocked(Self.step, isInteractive: arguments.isInteractive)
    }
}
