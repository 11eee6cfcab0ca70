// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import KeychainDaemon

/// `keychain-identify`: tells `securityd` which executable a process runs.
///
/// It needs the right to read `/proc/PID/exe` of other users, and never sees a byte of a client. Standard input is a
/// connection of `securityd`.
@main enum KeychainIdentify {
    static func main() {
        _ = clinux_forbid_dumps()
        IdentifyService(connection: 0).run()
    }
}
