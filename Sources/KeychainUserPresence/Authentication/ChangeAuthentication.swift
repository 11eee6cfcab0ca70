// SPDX-License-Identifier: Apache-2.0

import KeychainClient
package import KeychainModel

/// What was proved for changes that happen together, which any thread may make.
package struct ChangeAuthentication: Sendable {
    let authentication: Authentication

    /// Makes the changes or none of them; nobody is asked, as the store is busy meanwhile.
    package func perform(
        together changes: [Request],
        skip: (@Sendable (Int) -> Void)? = nil,
        progress: @Sendable (Int) -> Bool
    ) throws(StatusError) {
        do throws(StatusError) {
            try SystemKeychain.perform(
                together: changes,
                with: authentication,
                skip: skip,
                progress: progress
            )
        } catch {
            guard error.unsatisfiedFlags != nil else { throw error }
            throw StatusError(.interactionNotAllowed, .authenticationNeeded)
        }
    }
}
