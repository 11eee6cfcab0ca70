// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import KeychainDaemon

/// `keychain-identify`: tells `securityd` which executable a process runs.
///
/// This program needs the right to read `/proc/PID/exe` of other users, and never receives data of a client.
/// Its standard input is a connection to `securityd`.
@main enum KeychainIdentify {
    static func main() {
        _ = clinux_forbid_dumps()
        IdentifyService(connection: 0).run()
    }
}
