// SPDX-License-Identifier: Apache-2.0

extension Entitlements {
    /// What a program states in its own code: these groups and no other.
    package init(stating identifier: String?, accessGroups: [String], applicationGroups: [String]) {
        applicationIdentifier = identifier
        keychainAccessGroups = accessGroups
        self.applicationGroups = applicationGroups
    }
}
