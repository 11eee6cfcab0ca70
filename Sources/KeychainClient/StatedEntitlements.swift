// SPDX-License-Identifier: Apache-2.0

extension Entitlements {
    /// Creates entitlements that a program states in code, with exactly these groups.
    package init(stating identifier: String?, accessGroups: [String], applicationGroups: [String]) {
        applicationIdentifier = identifier
        keychainAccessGroups = accessGroups
        self.applicationGroups = applicationGroups
    }
}
