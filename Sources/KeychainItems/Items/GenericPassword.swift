// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// A password that has a service and an account, which together with the access group make it unique.
public struct GenericPassword: PasswordItem {
    /// What the keychain knows of the item.
    public var content: ItemContent

    /// Makes an item of what the keychain knows.
    public init(content: ItemContent) { self.content = content }

    /// The class of generic passwords.
    public static var itemClass: KeychainItemClass { .genericPassword }

    /// Describes a password.
    ///
    /// - Parameters:
    ///   - service: The service, such as the name of the program.
    ///   - account: The account, such as the name of the user.
    public init(service: String, account: String) {
        content = ItemContent()
        self.account = ItemString(account)
        self.service = ItemString(service)
    }

    /// The service; empty if the item has none.
    public var service: ItemString {
        get { content[.service] ?? "" }
        set { content[.service] = newValue }
    }

    /// Bytes of the program's own, which a query can look for.
    public var generic: [UInt8]? {
        get { content[bytes: .generic] }
        set { content[bytes: .generic] = newValue }
    }
}
