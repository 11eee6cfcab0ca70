// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// A generic or internet password, with the attributes that both classes have.
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

    /// Whether the item has no valid password, so that programs must prompt the user each time.
    public var isNegative: Bool {
        get { content[flag: .isNegative] ?? false }
        set { content[flag: .isNegative] = newValue }
    }
}
