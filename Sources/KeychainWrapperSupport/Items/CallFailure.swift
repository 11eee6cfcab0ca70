// SPDX-License-Identifier: Apache-2.0

package import KeychainServices

#if !canImport(Darwin)
import KeychainControl
#endif

/// The cause of the last failed keychain call.
package struct CallFailure: Hashable, Sendable {
    /// The problem and its solution.
    package let message: String
    /// Whether the item requires a fingerprint, and no sensor exists.
    package let needsMissingSensor: Bool

    /// Reads the last failure of this thread; if its status differs, uses the message of the given status.
    package init(of status: OSStatus) {
        #if !canImport(Darwin)
        if let failure = KeychainControl.lastFailure, failure.status == status {
            message = failure.description
            needsMissingSensor = failure.needsMissingSensor
            return
        }
        #endif
        let sentence = SecCopyErrorMessageString(status, nil)
        message = sentence.map { $0 as String } ?? "OSStatus \(status)"
        needsMissingSensor = false
    }
}
