// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The package trait `Objects`, which brings keys, certificates and identities.
package enum ObjectsTrait {
    /// Whether this build has the trait.
    package static var isEnabled: Bool {
        #if Objects
        true
        #else
        false
        #endif
    }

    /// The error of every call that needs the trait.
    package static var missing: StatusError { StatusError(.unimplemented, .objectsTraitDisabled) }

    /// Refuses a call that needs the trait in a build without it.
    package static func check() throws(StatusError) {
        guard isEnabled else { throw missing }
    }
}
