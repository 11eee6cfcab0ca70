// SPDX-License-Identifier: Apache-2.0

import Foundation
package import Testing

package enum RealPinentry: String, CaseIterable, Sendable {
    case tty = "pinentry-tty"
    case curses = "pinentry-curses"

    private var path: String { "/usr/bin/\(rawValue)" }

    /// Enables a test if the programs are installed; `Scripts/test` installs them.
    package static let areAvailable: ConditionTrait = .enabled(
        "needs pinentry on a terminal (apt-get install pinentry-tty pinentry-curses)"
    ) {
        allCases.allSatisfy { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    package var cancelKeys: String {
        switch self {
        case .tty: "\u{4}"
        // Two tabs move from the input field to the second button, Return presses it.
        case .curses: "\t\t\r"
        }
    }
}
