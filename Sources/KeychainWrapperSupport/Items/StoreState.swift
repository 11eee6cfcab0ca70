// SPDX-License-Identifier: Apache-2.0

import KeychainServices

#if !canImport(Darwin)
import KeychainControl
#endif

/// The state of the keychain beyond call results; unavailable on Apple's platforms.
package enum StoreState {
    /// Whether the keychain is read-only, which reads do not show.
    package static var isReadOnly: Bool {
        #if canImport(Darwin)
        return false
        #else
        return (try? KeychainControl.status().isReadOnly) == true
        #endif
    }

    /// The message for a missing biometric sensor; `nil` if present or unknown.
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
