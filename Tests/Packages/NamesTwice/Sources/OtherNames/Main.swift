// SPDX-License-Identifier: Apache-2.0

import FXKeychain
import LocalAuthentication
import Lockbox
import Security
import Valet

/// A target that imports the other package's libraries by their names.
@main struct Main {
    static func main() {
        precondition(
            ValetOrigin.isOtherLibrary && FXKeychainOrigin.isOtherLibrary && LockboxOrigin.isOtherLibrary
        )
        precondition(SecurityOrigin.isOtherLibrary && LocalAuthenticationOrigin.isOtherLibrary)
        print("other names: Valet, FXKeychain, Lockbox, Security, LocalAuthentication")
    }
}
