// SPDX-License-Identifier: Apache-2.0

import KeychainClient
package import KeychainModel

/// The authentication results for several changes in one transaction, usable on any thread.
package struct ChangeAuthentication: Sendable {
    let authentication: Authentication

    /// Performs changes in one transaction, non-interactively: a prompt would block the store until the user answers.
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
