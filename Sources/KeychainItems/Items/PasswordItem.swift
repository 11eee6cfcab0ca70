// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The attributes that both classes of passwords share.
public protocol PasswordItem: KeychainItem {}

extension PasswordItem {
    /// The account; empty if the item has none.
    public var account: ItemString {
        get { content[.account] ?? "" }
        set { content[.account] = newValue }
    }

    /// A comment about the item.
    public var comment: ItemString? {
        get { content[.comment] }
        set { content[.comment] = newValue }
    }

    /// The kind of password, such as *API token*.
    public var kind: ItemString? {
        get { content[.description] }
        set { content[.description] = newValue }
    }

    /// Whether programs should omit the item from lists of passwords.
    public var isInvisible: Bool {
        get { content[flag: .isInvisible] ?? false }
        set { content[flag: .isInvisible] = newValue }
    }

    /// Whether no password is stored, so that programs ask each time.
    public var isNegative: Bool {
        get { content[flag: .isNegative] ?? false }
        set { content[flag: .isNegative] = newValue }
    }
}
