// SPDX-License-Identifier: Apache-2.0

/// An item of the Secret Service, without its secret.
struct ServiceItem: Hashable {
    /// The last element of the object path, which is also the account of the keychain item.
    let id: String
    /// The path element of the collection.
    let collection: String
    /// The access group of the program that created the item, or ``OwnerScope/imported``.
    var owner: String
    var label: String
    var attributes: [String: String]
    var contentType: String
    /// When the item was created and changed, in seconds since 1970.
    var created: UInt64
    var modified: UInt64

    var path: String { ObjectPath.item(collection: collection, id: id).text }

    /// Returns 32 random hexadecimal digits.
    static func newID() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Returns the attributes without the generic schema, which gnome-keyring adds to some items without a schema.
    static func withoutGenericSchema(_ attributes: [String: String]) -> [String: String] {
        attributes.filter { $0.key != "xdg:schema" || $0.value != "org.freedesktop.Secret.Generic" }
    }
}

/// A collection of items.
///
/// A program sees the collections `login` and `session`, and those whose owner is one of its access groups. With the
/// option `--shared`, programs outside a sandbox see all collections.
struct ServiceCollection: Hashable {
    let name: String
    /// The access group of the program that created it; empty for the two collections that always exist.
    let owner: String
    var label: String
    var created: UInt64
    var modified: UInt64

    static let login = "login"
    static let session = "session"

    /// The collections that always exist.
    static let standard = [
        Self(name: login, owner: "", label: "Login", created: 0, modified: 0),
        Self(name: session, owner: "", label: "Session", created: 0, modified: 0),
    ]

    var path: String { ObjectPath.collection(name).text }
}

/// An alias of a collection, such as `default`; each owner has aliases of its own.
struct CollectionAlias: Hashable {
    let owner: String
    let name: String

    static let standard = "default"
}
