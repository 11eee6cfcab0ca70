// SPDX-License-Identifier: Apache-2.0

#if OURS_ALIASED
import KeychainFXKeychain
import KeychainLocalAuthentication
import KeychainLockbox
import KeychainSecurity
import KeychainValet
#else
import FXKeychain
import LocalAuthentication
import Lockbox
import Security
import Valet
#endif

func usesOurs() -> Bool {
    let types: [Any.Type] = [Valet.self, FXKeychain.self, Lockbox.self, SecKey.self, LAContext.self]
    return types.count == 5
}
