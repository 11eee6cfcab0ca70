// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

extension PinentryDialog {
    private static let reasonLimit = 200

    /// The dialog in which the daemon's agent asks for the passcode.
    ///
    /// The daemon has identified the program. The reason comes from the program, so it must not look like a part of
    /// the dialog: it is one line of limited length.
    package init(_ text: PromptText) {
        let purpose =
            switch text.purpose {
            case .authenticate: "asks for the passcode of the keychain."
            case .unlock: "asks for the passcode to unlock the keychain."
            }
        var lines = "\(Self.line(text.program)) \(purpose)"
        if let reason = text.reason {
            let line = Self.line(reason)
            let shown = line.count > Self.reasonLimit ? line.prefix(Self.reasonLimit - 1) + "…" : line[...]
            lines += "\n\nThe program says: \(shown)"
        }
        self.init(title: "Keychain", description: lines, prompt: "Passcode:")
    }

    /// Replaces line breaks, and characters that could disguise the dialog's text.
    private static func line(_ text: String) -> String {
        Assuan.sanitized(text).replacing("\n", with: " ")
    }
}
