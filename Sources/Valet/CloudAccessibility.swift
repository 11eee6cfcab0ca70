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

    /// The name used in the service under which items are stored.
    public var description: String { accessibility.description }

    /// The items' value of `kSecAttrAccessible`.
    public var secAccessibilityAttribute: String { accessibility.secAccessibilityAttribute }
}
