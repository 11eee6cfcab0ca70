// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainUserPresence

/// Checks whether the user can be asked for a passcode or a fingerprint.
enum PromptCheck {
    static func findings() -> [Finding] {
        let text =
            ItemAuthentication.hasFingerprints
            ? "this build supports fingerprints, with fprintd" : "this build does not support fingerprints"
        return [pinentry(.current), Finding("fingerprints", .ok, text)]
    }

    private static func pinentry(_ settings: PinentrySettings) -> Finding {
        if let obstacle = settings.obstacle {
            let reason: Reason = obstacle == .forbidden ? .promptForbidden : .promptWithoutTerminal
            return Finding("prompts", .note, StatusError(.interactionNotAllowed, reason))
        }
        let program = settings.program ?? ""
        guard let path = ChildProgram.find(program) else {
            return Finding(
                "prompts",
                .problem,
                "the pinentry program \(program) was not found, so the user cannot be prompted",
                remedy:
                    "install pinentry-curses, pinentry-gnome3 or pinentry-qt, or name a program in KEYCHAIN_PINENTRY"
            )
        }
        return Finding("prompts", .ok, "\(path) asks the user")
    }
}
