// SPDX-License-Identifier: Apache-2.0

#if SecretService
import KeychainClient
import KeychainModel
import KeychainUserPresence
import Synchronization

/// A prompt object: asks for the keychain's passcode, then completes a call.
final class Prompt {
    let id: String
    let path: String
    /// Completes the call after the keychain was unlocked; returns the prompt's result.
    let complete: () throws(CallError) -> BusValue
    let dismissed: BusValue
    private(set) var isStarted = false
    private let cancellation = Cancellation()

    init(_ id: String, dismissed: BusValue, complete: @escaping () throws(CallError) -> BusValue) {
        self.id = id
        path = ObjectPath.prompt(id).text
        self.dismissed = dismissed
        self.complete = complete
    }

    func cancel() { cancellation.cancel() }

    /// Shows the dialog on another thread; `finish` is called there with whether the keychain was unlocked.
    func start(for program: String, then finish: @escaping @Sendable (Bool) -> Void) {
        isStarted = true
        let cancellation = cancellation
        SystemKeychain.detach {
            finish(UnlockDialog.run(for: program) { cancellation.isCancelled })
        }
    }
}

final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }
}

enum UnlockDialog {
    private static let attempts = 3
    /// The lock that is held while a dialog is shown, so that dialogs appear one after another.
    private static let turn = Mutex(())

    /// Asks for the passcode and unlocks the keychain; returns whether it is unlocked.
    static func run(for program: String, isCancelled: @escaping @Sendable () -> Bool) -> Bool {
        turn.withLock { _ in
            // An earlier dialog may have unlocked the keychain.
            if isUnlocked { return true }
            guard !isCancelled() else { return false }
            do throws(PinentryFailure) {
                var pinentry = try Pinentry.start(dialog(for: program), .current, isCancelled: isCancelled)
                var message: String?
                for _ in 0..<attempts {
                    switch unlock(with: try pinentry.ask(error: message)) {
                    case nil: return true
                    case .passcodeWrong, .passcodeMalformed: message = "The passcode is wrong."
                    default: return false
                    }
                }
            } catch {
                return isUnlocked
            }
            return false
        }
    }

    private static var isUnlocked: Bool {
        guard case .status(let status)? = try? SystemKeychain.perform(.status) else { return false }
        return [.noPasscode, .unlocked].contains(status.lockState)
    }

    /// Returns why a passcode does not unlock the keychain; `nil` if it does.
    private static func unlock(with passcode: borrowing SecretBytes) -> Reason? {
        do throws(StatusError) {
            try SystemKeychain.unlock(with: passcode)
            return nil
        } catch {
            return error.reason ?? .storeMissing
        }
    }

    private static func dialog(for program: String) -> PinentryDialog {
        // Quotes and line breaks in the name must not make the name look like part of the prompt.
        let name = program.map { $0.isNewline ? " " : "“”\"".contains($0) ? "'" : $0 }
        return PinentryDialog(
            title: "Keychain",
            description: "The program “\(String(name))” asks to unlock the keychain.",
            prompt: "Passcode:"
        )
    }
}
#endif
