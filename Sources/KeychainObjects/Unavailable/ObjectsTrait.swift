// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The package trait `Objects`, which enables keys, certificates and identities.
package enum ObjectsTrait {
    package static var isEnabled: Bool {
        #if Objects
        true
        #else
        false
        #endif
    }

    /// The error of every function that needs the trait.
    package static var missing: StatusError { StatusError(.unimplemented, .objectsTraitDisabled) }

    package static func check() throws(StatusError) {
        guard isEnabled else { throw missing }
    }
}
