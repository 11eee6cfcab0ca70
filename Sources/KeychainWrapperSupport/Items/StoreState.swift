// SPDX-License-Identifier: Apache-2.0

import KeychainServices

#if !canImport(Darwin)
import KeychainControl
#endif

/// What a wrapper can know about the keychain beside the answers of its calls; on Apple's platforms nothing.
package enum StoreState {
    /// Whether the keychain can be read and not written, which no call for reading shows.
    package static var isReadOnly: Bool {
        #if canImport(Darwin)
        return false
        #else
        return (try? KeychainControl.status().isReadOnly) == true
        #endif
    }

    /// What is said where values need a biometric and none can be asked for; `nil` where one can, or nobody knows.
    package static var missingSensor: String? {
        #if canImport(Darwin)
        return nil
        #else
        let canAsk = unsafe LAContext().canEvaluatePolicy(
            .deviceOwnerAuthenticationWithBiometrics,
            error: nil
        )
        return canAsk ? nil : KeychainControlError.missingSensor.description
        #endif
    }
}
