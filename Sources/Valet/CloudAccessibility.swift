// SPDX-License-Identifier: Apache-2.0

/// When the values of a synchronizing valet are readable.
public enum CloudAccessibility: Int, CaseIterable, CustomStringConvertible, Equatable, Sendable {
    /// While the keychain is unlocked.
    case whenUnlocked = 1
    /// After the first unlock since the machine started.
    case afterFirstUnlock = 2

    /// The equivalent accessibility of a valet that does not synchronize.
    public var accessibility: Accessibility {
        switch self {
        case .whenUnlocked: .whenUnlocked
        case .afterFirstUnlock: .afterFirstUnlock
        }
    }

    /// The part of a service name that stands for this accessibility.
    public var description: String { accessibility.description }

    /// The value of `kSecAttrAccessible` in items with this accessibility.
    public var secAccessibilityAttribute: String { accessibility.secAccessibilityAttribute }
}
