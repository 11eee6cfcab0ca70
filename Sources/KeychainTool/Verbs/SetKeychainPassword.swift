// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainControl
import KeychainModel

/// `set-keychain-password`: sets, changes or removes the passcode of the store.
struct SetKeychainPassword {
    let arguments: ScannedArguments

    private static let step = "SecKeychainChangePassword"

    func run() throws(Failure) {
        let isRemoval = arguments.has("remove")
        guard !isRemoval || !arguments.has("new-passcode") else {
            throw .usage("--remove and -p are mutually exclusive")
        }
        guard isRemoval || !arguments.has("force") else {
            throw .usage("--force requires --remove")
        }
        try Keychains.useOperand(of: arguments)
        let input = PasscodeInput(arguments)
        let passcodeIsSet = try KeychainCalls.passcodeIsSet(Self.step)
        if isRemoval { return try remove(input) }
        guard passcodeIsSet else {
            try checkNoOldPasscode()
            let new = try new(input)
            try KeychainCalls.control(Self.step) { () throws(KeychainControlError) in
                try KeychainControl.setPasscode(new)
            }
            return try KeychainCalls.checkUnlocked(Self.step, isInteractive: arguments.isInteractive)
        }
        let old = try old(input)
        let new = try new(input)
        try KeychainCalls.control(Self.step) { () throws(KeychainControlError) in
            try KeychainControl.changePasscode(from: old, to: new)
        }
        try KeychainCalls.checkUnlocked(Self.step, isInteractive: arguments.isInteractive)
    }

    /// Refuses a nonempty old passcode if none is set, as macOS does.
    private func checkNoOldPasscode() throws(Failure) {
        let old = arguments.occurrences.last { $0.option.name == "old-passcode" }
        guard old?.value?.isEmpty == false else { return }
        throw .store(
            .authenticationFailed,
            step: Self.step,
            detail:
                "\(KeychainCalls.shownDirectory()): no passcode is set, so the old one cannot be right; leave out -o"
        )
    }

    private func remove(_ input: PasscodeInput) throws(Failure) {
        let old = try old(input)
        let count = try KeychainCalls.control(Self.step) { () throws(KeychainControlError) in
            // Counting derives a key from the passcode again, which is slow, so skip it for an empty keychain.
            try KeychainControl.status().itemCount == 0 ? 0 : KeychainControl.countItemsNeedingPasscode(old)
        }
        if count > 0, !arguments.has("force") { try confirm(count) }
        let purged = try KeychainCalls.control(Self.step) { () throws(KeychainControlError) in
            try KeychainControl.removePasscode(old)
        }
        if purged > 0 { Console.complain("\(Self.items(purged)) deleted together with the passcode") }
    }

    private static func items(_ count: Int) -> String { "\(count) item\(count == 1 ? "" : "s")" }

    /// Asks for confirmation at a terminal; a script must pass `--force`.
    private func confirm(_ count: Int) throws(Failure) {
        let loss =
            "removing the passcode destroys \(Self.items(count)): all of the class akpu, and all whose access control requires the user"
        guard Console.isTerminal(STDIN_FILENO) else {
            throw .message("\(loss); nothing was changed; --force confirms it", result: 1)
        }
        Console.say("\(KeychainCalls.shownDirectory()): \(loss). This cannot be undone.\n")
        try TerminalPrompt.confirm(typing: "remove", orThrow: "nothing was changed")
    }

    private func old(_ input: PasscodeInput) throws(Failure) -> Passcode {
        try input.required("old-passcode", asking: ["Old Password: "])
    }

    private func new(_ input: PasscodeInput) throws(Failure) -> Passcode {
        let new = try input.required("new-passcode", asking: ["New Password: ", "Retype New Password: "])
        PasscodeInput.warn(ofGuessable: new)
        return new
    }
}
