// SPDX-License-Identifier: Apache-2.0

import KeychainControl

/// `create-keychain`: makes the store in a directory, by default that of the environment.
struct CreateKeychain {
    let arguments: ScannedArguments
    let isInteractive: Bool

    private static let step = "SecKeychainCreate"

    func run() throws(Failure) {
        let directory = try KeychainCalls.directory(ofNew: arguments.operands.first)
        let passcode = try PasscodeInput(arguments, isInteractive: isInteractive)
            .optional(
                "passcode",
                asking: ["passcode for new keychain: ", "retype passcode for new keychain: "]
            )
        guard let passcode else {
            return try KeychainCalls.control(Self.step, in: directory) { () throws(KeychainControlError) in
                try KeychainControl.create(at: directory)
            }
        }
        try KeychainCalls.control(Self.step, in: directory) { () throws(KeychainControlError) in
            try KeychainControl.create(at: directory, passcode: passcode)
        }
    }
}
