// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Testing

/// The programs that people have, and what they press.
package enum RealPinentry: String, CaseIterable, Sendable {
    case tty = "pinentry-tty"
    case curses = "pinentry-curses"

    private var path: String { "/usr/bin/\(rawValue)" }

    /// Whether they are there; `Scripts/test` installs them.
    package static let areAvailable: ConditionTrait = .enabled(
        "needs pinentry on a terminal (apt-get install pinentry-tty pinentry-curses)"
    ) {
        allCases.allSatisfy { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// What says no.
    package var cancelKeys: String {
        switch self {
        case .tty: "\u{4}"
        // From the line to the first button, to the second, and that.
        case .curses: "\t\t\r"
        }
    }
}
