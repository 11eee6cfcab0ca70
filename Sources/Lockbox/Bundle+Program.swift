// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Bundle {
    /// The identifier of the main bundle, or the name of the executable.
    ///
    /// On Linux, a bundle has an identifier if the executable's directory contains an `Info.plist`.
    static var programIdentifier: String {
        let names = [main.bundleIdentifier, main.executableURL?.lastPathComponent]
        return names.compactMap { $0 }.first { !$0.isEmpty } ?? ProcessInfo.processInfo.processName
    }
}
