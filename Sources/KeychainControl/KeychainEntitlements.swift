// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// The entitlements that a program declares in its own code.
public struct KeychainEntitlements: Sendable, Hashable {
    /// The application identifier, which is also an access group.
    ///
    /// If `nil`, the executable's name identifies the application and is not an access group.
    public var applicationIdentifier: String?
    /// The access groups listed in `keychain-access-groups`; the first is the default for new items.
    ///
    /// `*` and `com.apple.token` are never the default. If there are no other groups in the list, the default is the
    /// application identifier, or the first application group if there is no application identifier.
    public var accessGroups: [String]
    /// The application groups listed in `com.apple.security.application-groups`.
    public var applicationGroups: [String]

    /// Creates entitlements.
    public init(
        applicationIdentifier: String? = nil,
        accessGroups: [String] = [],
        applicationGroups: [String] = []
    ) {
        self.applicationIdentifier = applicationIdentifier
        self.accessGroups = accessGroups
        self.applicationGroups = applicationGroups
    }
}

extension KeychainControl {
    /// Declares the entitlements of this program, instead of a file beside the executable.
    ///
    /// Call this function before any other keychain function. The embedded store and the user's own daemon trust
    /// the declaration; the system's daemon ignores it, and requires signed entitlements. The declaration takes
    /// precedence over the file beside the executable and over the file that `KEYCHAIN_ENTITLEMENTS` names. In a
    /// test with a temporary keychain, that keychain's access groups apply instead.
    ///
    /// - Parameter entitlements: All entitlements of the program; no other group is added.
    /// - Throws: ``KeychainControlError`` with `errSecParam` if the keychain was used before.
    public static func useEntitlements(_ entitlements: KeychainEntitlements) throws(KeychainControlError) {
        do throws(StatusError) {
            try SystemKeychain.use(
                Entitlements(
                    stating: entitlements.applicationIdentifier,
                    accessGroups: entitlements.accessGroups,
                    applicationGroups: entitlements.applicationGroups
                )
            )
        } catch {
            throw KeychainControlError(recording: error)
        }
    }
}
