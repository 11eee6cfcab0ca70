// SPDX-License-Identifier: Apache-2.0

/// When what a synchronizing valet keeps can be read.
public enum CloudAccessibility: Int, CaseIterable, CustomStringConvertible, Equatable, Sendable {
    /// While the keychain is unlocked.
    case whenUnlocked = 1
    /// From the first unlock after a start of the machine.
    case afterFirstUnlock = 2

    /// The same for a valet that keeps everything on this device.
    public var accessibility: Accessibility {
        switch self {
        case .whenUnlocked: .whenUnlocked
        case .afterFirstUnlock: .afterFirstUnlock
        }
    }

    /// The name that is part of the service under which items are stored.
    public var description: String { accessibility.description }

    /// The value of `kSecAttrAccessible` that items have.
    public var secAccessibilityAttribute: String { accessibility.secAccessibilityAttribute }
}
