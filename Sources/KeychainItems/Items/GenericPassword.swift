// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// A password that is identified by service, account and access group.
public struct GenericPassword: PasswordItem {
    /// The stored attributes of the item.
    public var content: ItemContent

    /// Creates an item from stored attributes.
    public init(content: ItemContent) { self.content = content }

    /// The item class of generic passwords.
    public static var itemClass: KeychainItemClass { .genericPassword }

    /// Creates an item that describes a password.
    ///
    /// - Parameters:
    ///   - service: The service, such as the name of the program.
    ///   - account: The account, such as the user name.
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

    /// Custom bytes of the program, which a query can match.
    public var generic: [UInt8]? {
        get { content[bytes: .generic] }
        set { content[bytes: .generic] = newValue }
    }
}
