// SPDX-License-Identifier: Apache-2.0

#if OURS_ALIASED
import FXKeychain
import LocalAuthentication
import Lockbox
import Security
import Valet
#else
import OtherFXKeychain
import OtherLocalAuthentication
import OtherLockbox
import OtherSecurity
import OtherValet
#endif

func usesOthers() -> Bool {
    ValetOrigin.isOtherLibrary && FXKeychainOrigin.isOtherLibrary && LockboxOrigin.isOtherLibrary
        && SecurityOrigin.isOtherLibrary && LocalAuthenticationOrigin.isOtherLibrary
}
