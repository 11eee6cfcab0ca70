// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import KeychainDaemon

/// `keychain-identify`: tells `securityd` which executable a process runs.
///
/// This program needs the right to read `/proc/PID/exe` of other users, and never receives data of a client.
/// Its standard input is a connection to `securityd`.
@main enum KeychainIdentify {
    static func main() {
        // If the rights cannot be given up, securityd reports that this program has ended.
        guard IdentifyService.restrictRights() else { return }
        // After the change of the user, which permits dumps and tracing again on some systems.
        _ = clinux_forbid_dumps()
        IdentifyService(connection: 0).run()
    }
}
