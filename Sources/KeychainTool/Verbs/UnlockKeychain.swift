// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainControl
import KeychainModel
import KeychainUserPresence

/// `unlock-keychain`: unlocks the store for every program of the user.
struct UnlockKeychain {
    let arguments: ScannedArguments

    private static let step = "SecKeychainUnlock <NULL>"
    /// The name of systemd's credential with the passcode.
    private static let credential = "keychain.passcode"

    func run() throws(Failure) {
        guard !arguments.has("pam") else { return PAMUnlock().run() }
        try Keychains.useOperand(of: arguments)
        try unlock()
        RotateKeys.resumeInBackground()
    }

    private func unlock() throws(Failure) {
        let before = try KeychainCalls.status(Self.step)
        let directory = BlobText.line(before.directory)
        guard before.passcodeIsSet else {
            throw .store(.authenticationFailed, step: Self.step, detail: "\(directory): no passcode is set")
        }
        if try isUnlockedByAgent() { return }
        let passcode = try passcode(directory)
        do throws(KeychainControlError) {
            try KeychainControl.unlock(with: passcode)
        } catch {
            // In interactive mode, an unlock for this process alone is enough: later commands run in it.
            if arguments.isInteractive, error.isUnlockedForThisProcess { return }
            throw .store(
                Status(rawValue: error.status),
                step: Self.step,
                detail: KeychainCalls.described(error)
            )
        }
    }

    /// Lets the daemon's agent ask for the passcode at a terminal, and unlock the keychain.
    ///
    /// - Returns: `false` if this command must get the passcode itself.
    private func isUnlockedByAgent() throws(Failure) -> Bool {
        guard !arguments.has("passcode"), !arguments.has("passcode-fd"), isatty(STDIN_FILENO) == 1,
            unsafe getenv("CREDENTIALS_DIRECTORY") == nil
        else { return false }
        do throws(PasscodeAgent.Failure) {
            if case .correct = try PasscodeAgent.ask(for: .unlock, reason: nil, .current) { return true }
            return false
        } catch {
            let failure =
                switch error {
                case .keychain(let error): error
                case .prompt(let failure):
                    StatusError(asking: failure) ?? StatusError(.userCanceled, .promptCanceled)
                }
            throw .store(failure.status, step: Self.step, detail: failure.explanation.sentence)
        }
    }

    /// Reads the passcode from an option, systemd's credential, the terminal or standard input.
    private func passcode(_ directory: String) throws(Failure) -> Passcode {
        if let text = arguments.value("passcode-fd") {
            guard let descriptor = Int32(text), descriptor >= 0 else {
                throw .usage("--passcode-fd requires the number of an open file descriptor")
            }
            return try PasscodeFile.read(descriptor)
        }
        if !arguments.has("passcode"), let passcode = try Self.credentialPasscode() { return passcode }
        return try PasscodeInput(arguments)
            .required("passcode", asking: ["password to unlock \(directory): "])
    }

    /// Reads the credential of systemd; `nil` if the service manager has passed none.
    private static func credentialPasscode() throws(Failure) -> Passcode? {
        guard let directory = unsafe getenv("CREDENTIALS_DIRECTORY") else { return nil }
        let file = unsafe open(String(cString: directory) + "/" + credential, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return try PasscodeFile.read(file)
    }
}

enum PasscodeFile {
    private static let limit = 1_025

    /// Returns the first line, which a zero byte also ends; at most 1,025 bytes, one more than a passcode may have.
    static func read(_ descriptor: Int32) throws(Failure) -> Passcode {
        var line: [UInt8] = []
        line.reserveCapacity(limit)
        var byte: UInt8 = 0
        while line.count < limit {
            let count = unsafe Glibc.read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw InputFile.failure("descriptor \(descriptor)", errno) }
            if count == 0 || byte == UInt8(ascii: "\n") || byte == 0 { break }
            line.append(byte)
        }
        guard !line.isEmpty else { throw .message("no passcode was given", result: 1) }
        return Passcode(moving: &line)
    }
}
