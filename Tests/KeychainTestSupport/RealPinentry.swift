// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Testing

/// The installed pinentry programs and their key bindings.
package enum RealPinentry: String, CaseIterable, Sendable {
    case tty = "pinentry-tty"
    case curses = "pinentry-curses"

    private var path: String { "/usr/bin/\(rawValue)" }

    /// Whether the programs are installed, as `Scripts/test` does.
    package static let areAvailable: ConditionTrait = .enabled(
        "needs pinentry on a terminal (apt-get install pinentry-tty pinentry-curses)"
    ) {
        allCases.allSatisfy { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// The keys that cancel the dialog.
    package var cancelKeys: String {
        switch self {
        case .tty: "\u{4}"
        // Tab twice from the input field to the second button, then press it.
        case .curses: "\t\t\r"
        }
    }
}
