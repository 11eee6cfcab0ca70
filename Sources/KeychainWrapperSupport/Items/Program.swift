// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the program is called.
package enum Program {
    /// The identifier of the main bundle, or else the name of the executable.
    ///
    /// On Linux, a bundle has an identifier if there is an `Info.plist` beside the executable.
    package static var identifier: String {
        let names = [Bundle.main.bundleIdentifier, Bundle.main.executableURL?.lastPathComponent]
        return names.compactMap { $0 }.first { !$0.isEmpty } ?? ProcessInfo.processInfo.processName
    }
}
