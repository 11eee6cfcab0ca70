// SPDX-License-Identifier: Apache-2.0

/// Identifies one version of an item, to detect changes.
package struct ItemVersion: Hashable, Sendable {
    package let reference: PersistentReference
    /// The name of the access group; `nil` if only its digest is known.
    package let accessGroup: String?
    /// A number that differs after each change of the item.
    package let version: UInt64

    package init(reference: PersistentReference, accessGroup: String?, version: UInt64) {
        self.reference = reference
        self.accessGroup = accessGroup
        self.version = version
    }
}
