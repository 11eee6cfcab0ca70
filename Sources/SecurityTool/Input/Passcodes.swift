// SPDX-License-Identifier: Apache-2.0

import KeychainControl
import KeychainServices

/// Where a passcode comes from: an option, the terminal, standard input.
struct PasscodeInput {
    private let arguments: ScannedArguments
    private let isInteractive: Bool

    init(_ arguments: ScannedArguments, isInteractive: Bool) {
        self.arguments = arguments
        self.isInteractive = isInteractive
    }

    /// The value of an option, or what is asked for where the option has no value; `nil` without the option.
    func optional(_ option: String, asking prompts: [String]) throws(Failure) -> Passcode? {
        guard arguments.has(option) else { return nil }
        return try required(option, asking: prompts)
    }

    /// The value of an option, or what is asked for.
    func required(_ option: String, asking prompts: [String]) throws(Failure) -> Passcode {
        if let text = arguments.occurrences.last(where: { $0.option.name == option })?.value {
            if !isInteractive { Warning.passwordInArguments.give() }
            return Passcode(text)
        }
        // A line, not the rest: two passcodes may have to come from one pipe.
        var bytes = try SecretInput.secret(asking: prompts, isInteractive: true)
        return Passcode(moving: &bytes)
    }
}

/// Runs a call of the API, its error as a failure that says which step of macOS's it stands for.
func control<Result>(
    _ step: String,
    _ body: () throws(KeychainControlError) -> Result
) throws(Failure) -> Result {
    do throws(KeychainControlError) {
        return try body()
    } catch {
        throw .store(error.status, step: step, detail: Keychain.described(error))
    }
}

private func status(_ step: String) throws(Failure) -> KeychainStatus {
    try control(step) { () throws(KeychainControlError) in try KeychainControl.status() }
}

/// `lock-keychain`.
struct LockKeychain {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try Keychain.check(operands: arguments.operands)
        try control("SecKeychainLock") { () throws(KeychainControlError) in try KeychainControl.lock() }
    }
}

/// `unlock-keychain`.
struct UnlockKeychain {
    let arguments: ScannedArguments
    let isInteractive: Bool

    private static let step = "SecKeychainUnlock <NULL>"

    func run() throws(Failure) {
        try Keychain.check(operands: arguments.operands)
        let before = try status(Self.step)
        let directory = BlobText.line(before.directory)
        guard before.passcodeIsSet else {
            throw .store(errSecAuthFailed, step: Self.step, detail: "\(directory): no passcode is set")
        }
        let passcode = try PasscodeInput(arguments, isInteractive: isInteractive)
            .required("passcode", asking: ["password to unlock \(directory): "])
        try control(Self.step) { () throws(KeychainControlError) in try KeychainControl.unlock(with: passcode)
        }
        guard !isInteractive, before.keyHolder == .thisProcess else { return }
        throw .store(errSecNotAvailable, step: Self.step, detail: "\(directory): \(Self.nowhere)")
    }

    private static let nowhere =
        "there is no place for the unlocked keys: the kernel's keyring refuses them, and no runtime directory in memory is"
        + " named by XDG_RUNTIME_DIR"
}

/// `set-keychain-settings`.
struct SetKeychainSettings {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try Keychain.check(operands: arguments.operands)
        var interval: UInt32?
        if let text = arguments.occurrences.last(where: { $0.option.name == "timeout" })?.value {
            guard let seconds = UInt32(text), seconds > 0 else {
                throw .usage("-t takes a number of seconds")
            }
            interval = seconds
        } else if arguments.has("lock-after-timeout") {
            // As on macOS, where no time is given.
            interval = 300
        }
        let onSleep = arguments.has("lock-on-sleep")
        try control("SecKeychainSetSettings") { () throws(KeychainControlError) in
            try KeychainControl.setAutoLock(after: interval, onSleep: onSleep)
        }
    }
}

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
        try Keychain.check(operands: arguments.operands)
        let input = PasscodeInput(arguments, isInteractive: isInteractive)
        let passcodeIsSet = try status(Self.step).passcodeIsSet
        if isRemoval { return try remove(input) }
        guard passcodeIsSet else {
            let new = try new(input)
            return try control(Self.step) { () throws(KeychainControlError) in
                try KeychainControl.setPasscode(new)
            }
        }
        let old = try old(input)
        let new = try new(input)
        try control(Self.step) { () throws(KeychainControlError) in
            try KeychainControl.changePasscode(from: old, to: new)
        }
    }

    private func remove(_ input: PasscodeInput) throws(Failure) {
        let old = try old(input)
        let purged = try control(Self.step) { () throws(KeychainControlError) in
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
