// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainDaemon

/// `keychain-identify`: tells `securityd` which executable a process runs.
///
/// This program needs the right to read `/proc/PID/exe` of other users, and never receives data of a client.
/// Its standard input is a connection to `securityd`.
@main enum KeychainIdentify {
    static func main() {
        if let failure = IdentifyService.restrictRights() {
            write("keychain-identify: cannot give up the rights of root: \(failure)\n")
            exit(unavailable)
        }
        // After the change of the user, which permits dumps and tracing again on some systems.
        _ = clinux_forbid_dumps()
        IdentifyService(connection: 0).run()
    }

    /// EX_UNAVAILABLE of `sysexits.h`.
    private static let unavailable: Int32 = 69

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        unsafe bytes.withUnsafeBytes { _ = unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
