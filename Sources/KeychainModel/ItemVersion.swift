// SPDX-License-Identifier: Apache-2.0

/// What tells whether an item is the one that it was.
package struct ItemVersion: Hashable, Sendable {
    package let reference: PersistentReference
    /// The name of the access group; `nil` where only its digest is known.
    package let accessGroup: String?
    /// Another with each change of the item.
    package let version: UInt64

    package init(reference: PersistentReference, accessGroup: String?, version: UInt64) {
        self.reference = reference
        self.accessGroup = accessGroup
        self.version = version
    }
}
