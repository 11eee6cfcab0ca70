// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// What the two classes of passwords have in common.
public protocol PasswordItem: KeychainItem {}

extension PasswordItem {
    /// The account; empty if the item has none.
    public var account: ItemString {
        get { content[.account] ?? "" }
        set { content[.account] = newValue }
    }

    /// A comment.
    public var comment: ItemString? {
        get { content[.comment] }
        set { content[.comment] = newValue }
    }

    /// What kind of password it is, such as *API token*.
    public var kind: ItemString? {
        get { content[.description] }
        set { content[.description] = newValue }
    }

    /// Whether programs that list passwords shall leave it out.
    public var isInvisible: Bool {
        get { content[flag: .isInvisible] ?? false }
        set { content[flag: .isInvisible] = newValue }
    }

    /// Whether there is no password, because the user is to be asked each time.
    public var isNegative: Bool {
        get { content[flag: .isNegative] ?? false }
        set { content[flag: .isNegative] = newValue }
    }
}
