// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient

enum NameOwner {
    private static let ownName = "keychain-secret-service"

    /// Returns the executable's file name and the process ID; “another program” if they are unknown.
    static func program(of process: pid_t) -> String {
        guard let name = ProcessName.ofProgram(process, expected: ownName) else { return "another program" }
        return "\(name) (process \(process))"
    }

    /// Whether a process runs this program.
    static func isThisService(_ process: pid_t) -> Bool {
        ProcessName.ofProgram(process, expected: ownName) == ownName
    }
}
