// SPDX-License-Identifier: Apache-2.0

extension Entitlements {
    /// The entitlements that a program states in code: these groups and no others.
    package init(stating identifier: String?, accessGroups: [String], applicationGroups: [String]) {
        applicationIdentifier = identifier
        keychainAccessGroups = accessGroups
        self.applicationGroups = applicationGroups
    }
}
