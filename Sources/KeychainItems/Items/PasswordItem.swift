// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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

    #if !canImport(Darwin)
    /// The date from which the password should no longer be used; `nil` if it does not expire.
    ///
    /// The keychain still returns an expired password, and the program decides whether to use it. Items on
    /// Apple's platforms have no such attribute.
    public var expires: Date? {
        get { content[date: .endDate].flatMap { $0.timeIntervalSinceReferenceDate == 0 ? nil : $0 } }
        set { content[date: .endDate] = newValue ?? Date(timeIntervalSinceReferenceDate: 0) }
    }
    #endif

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
