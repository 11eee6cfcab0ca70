// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The name of the program.
package enum Program {
    /// The identifier of the main bundle, or the name of the executable.
    ///
    /// On Linux, a bundle has an identifier if the executable's directory contains an `Info.plist`.
    package static var identifier: String {
        let names = [Bundle.main.bundleIdentifier, Bundle.main.executableURL?.lastPathComponent]
        return names.compactMap { $0 }.first { !$0.isEmpty } ?? ProcessInfo.processInfo.processName
    }
}
