// SPDX-License-Identifier: Apache-2.0

/// When and by whom an item may be opened: its protection class and the constraints upon it.
package struct AccessControl: Hashable, Codable, Sendable {
    package let protection: ProtectionClass
    /// The bits of `SecAccessControlCreateFlags`.
    package let flags: UInt64
    /// Made by `SecAccessControlCreateWithFlags`: such an object never equals a bare class, even without flags.
    package let isExplicit: Bool

    /// The object that stands for a protection class alone.
    package init(protection: ProtectionClass) {
        self.protection = protection
        flags = 0
        isExplicit = false
    }

    /// The object that a caller made with flags.
    package init(protection: ProtectionClass, flags: UInt64) {
        self.protection = protection
        self.flags = flags
        isExplicit = true
    }
}
