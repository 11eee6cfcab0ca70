// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// What a program is entitled to, where it says so in its own code.
public struct KeychainEntitlements: Sendable, Hashable {
    /// The identifier of the application, which is an access group too; `nil` for the executable's name, which is none.
    public var applicationIdentifier: String?
    /// The access groups, as `keychain-access-groups` lists them; the first is that of new items.
    public var accessGroups: [String]
    /// The application groups, as `com.apple.security.application-groups` lists them.
    public var applicationGroups: [String]

    /// Collects the entitlements.
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
    /// States the entitlements of this program, in the place of a file beside the executable.
    ///
    /// Call it before the first other call of the keychain. It counts for the embedded store alone, where entitlements are
    /// a convention among the programs of one user; a daemon asks for signed ones. It goes before a file, and before
    /// `KEYCHAIN_ENTITLEMENTS`. In a test with a temporary keychain the groups of that keychain count.
    ///
    /// - Parameter entitlements: All that the program is entitled to: no other group is added.
    /// - Throws: ``KeychainControlError`` with `errSecParam` after a call that has used the entitlements before.
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
