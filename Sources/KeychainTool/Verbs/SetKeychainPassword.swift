// SPDX-License-Identifier: Apache-2.0

import KeychainControl
import KeychainServices

/// `set-keychain-password`.
struct SetKeychainPassword {
    let arguments: ScannedArguments
    let isInteractive: Bool

    private static let step = "SecKeychainChangePassword"

    func run() throws(Failure) {
        let isRemoval = arguments.has("remove")
        guard !isRemoval || !arguments.has("new-passcode") else {
            throw .usage("--remove and -p exclude each other")
        }
        try KeychainCalls.check(operands: arguments.operands)
        let input = PasscodeInput(arguments, isInteractive: isInteractive)
        let passcodeIsSet = try KeychainCalls.status(Self.step).passcodeIsSet
        if isRemoval { return try remove(input) }
        guard passcodeIsSet else {
            let new = try new(input)
            try KeychainCalls.control(Self.step) { () throws(KeychainControlError) in
                try KeychainControl.setPasscode(new)
            }
            return try checkUnlocked()
        }
        let old = try old(input)
        let new = try new(input)
        try KeychainCalls.control(Self.step) { () throws(KeychainControlError) in
            try KeychainControl.changePasscode(from: old, to: new)
        }
        try checkUnlocked()
    }

    /// Fails where the passcode is set and no other program can use the unlocked keys.
    private func checkUnlocked() throws(Failure) {
        let status = try KeychainCalls.status(Self.step)
        guard !isInteractive, status.keyCache == .thisProcess else { return }
        throw .store(
            errSecNotAvailable,
            step: Self.step,
            detail:
                "\(BlobText.line(status.directory)): the passcode is set, but the keychain is locked for other programs: "
                + "the kernel's keyring and the runtime directory keep no unlocked keys"
        )
    }

    private func remove(_ input: PasscodeInput) throws(Failure) {
        let old = try old(input)
        let purged = try KeychainCalls.control(Self.step) { () throws(KeychainControlError) in
            try KeychainControl.removePasscode(old)
        }
        if purged > 0 { Console.complain("\(purged) item\(purged == 1 ? "" : "s") went with the passcode") }
    }

    private func old(_ input: PasscodeInput) throws(Failure) -> Passcode {
        try input.required("old-passcode", asking: ["Old Password: "])
    }

    private func new(_ input: PasscodeInput) throws(Failure) -> Passcode {
        try input.required("new-passcode", asking: ["New Password: ", "Retype New Password: "])
    }
}
