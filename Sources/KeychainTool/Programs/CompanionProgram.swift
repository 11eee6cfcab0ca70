// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient

/// A program of this package that `security` starts, because it links other libraries.
enum CompanionProgram {
    /// The path of a program in the directory of this program, or in `../libexec`; `nil` if absent.
    static func find(_ name: String) -> String? {
        let directory = Entitlements.executablePath().directoryOfPath
        return ["\(directory)/\(name)", "\(directory)/../libexec/\(name)"].first {
            unsafe access($0, X_OK) == 0
        }
    }

    /// The failure for an absent program, which the Debian package `swift-NAME` installs.
    static func missing(_ name: String) -> Failure {
        .message(
            "there is no \(name) beside this program; the package swift-\(name) installs it",
            result: 127
        )
    }
}
