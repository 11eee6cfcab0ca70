// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// How another library stores its values in the keychain.
///
/// ```swift
/// let layout = ForeignLayout.keychainSwift(prefix: "mail_")
/// let values = try vault.values(of: layout)
/// ```
///
/// A layout describes how the library names and encodes its items. The library itself is not needed.
public struct ForeignLayout: Sendable {
    /// The attribute of an item that contains the key of the value.
    enum KeyAttribute: Sendable {
        /// The account, which consists of the prefix and the key.
        case account(prefix: String)
        /// The service, which consists of the prefix and the key.
        case service(prefix: String)
    }

    enum Format: Sendable {
        /// The bytes of the value, without any encoding.
        case bytes
        /// UTF-8 for a string; a binary property list for any other value.
        case propertyList
        /// A keyed archive.
        case archive
    }

    let query: ItemQuery<GenericPassword>
    let keyAttribute: KeyAttribute
    let format: Format
    /// The keys of the library's internal items, which contain no values of the program.
    var hidden: Set<String> = []

    private init(service: String?, _ keyAttribute: KeyAttribute, _ format: Format) {
        query = .genericPasswords(service: service)
        self.keyAttribute = keyAttribute
        self.format = format
    }

    /// The layout of a vault of this package.
    public static func vault(service: String) -> Self { Self(service: service, .account(prefix: ""), .bytes) }

    /// The layout of Valet, for the service attribute of its items.
    ///
    /// For a valet created with `valet(withExplicitlySet:accessibility:)`, the service is the identifier.
    public static func valet(service: String) -> Self {
        var layout = Self(service: service, .account(prefix: ""), .bytes)
        layout.hidden = ["VAL_KeychainCanaryUsername"]
        return layout
    }

    /// The layout of Valet, for the arguments of `Valet.valet(with:accessibility:)`.
    public static func valet(identifier: String, accessibility: ItemAccessibility = .whenUnlocked) -> Self {
        .valet(
            service:
                "VAL_VALValet_initWithIdentifier:accessibility:_\(identifier)_\(accessibility.nameOfValet)"
        )
    }

    /// The layout of FXKeychain 1.2 to 1.5.
    ///
    /// - Parameter service: The service; `nil` for the values of all services.
    /// - Returns: The layout.
    public static func fxKeychain(service: String?) -> Self {
        Self(service: service, .account(prefix: ""), .propertyList)
    }

    /// The layout of Lockbox and Strongbox.
    ///
    /// - Parameter prefix: The prefix without the dot. The libraries use the bundle identifier by default.
    /// - Returns: The layout.
    public static func lockbox(prefix: String) -> Self {
        Self(service: nil, .service(prefix: prefix + "."), .archive)
    }

    /// The layout of KeychainAccess.
    public static func keychainAccess(service: String) -> Self {
        Self(service: service, .account(prefix: ""), .bytes)
    }

    /// The layout of keychain-swift, which sets no service.
    ///
    /// - Parameter prefix: The library's `keyPrefix`.
    /// - Returns: The layout.
    public static func keychainSwift(prefix: String = "") -> Self {
        Self(service: "", .account(prefix: prefix), .bytes)
    }

    /// The layout of SwiftKeychainWrapper.
    ///
    /// Only strings and data are decoded. The library stores other values, such as numbers, as keyed
    /// archives, and ``ForeignValue/secret`` is then the bytes of the archive.
    public static func swiftKeychainWrapper(service: String) -> Self {
        Self(service: service, .account(prefix: ""), .bytes)
    }

    /// The layout of SAMKeychain and SSKeychain.
    public static func samKeychain(service: String) -> Self {
        Self(service: service, .account(prefix: ""), .bytes)
    }
}

extension ForeignLayout {
    /// Returns the key of an item; `nil` for an item that contains no value of this layout.
    ///
    /// Such an item is an internal item of the library, or its name is not UTF-8, lacks the prefix, or contains no key
    /// after the prefix.
    func key(of item: GenericPassword) -> String? {
        let (name, prefix) =
            switch keyAttribute {
            case .account(let prefix): (item.account.string, prefix)
            case .service(let prefix): (item.service.string, prefix)
            }
        guard let name, name.hasPrefix(prefix), !hidden.contains(name) else { return nil }
        let key = String(name.dropFirst(prefix.count))
        return key.isEmpty ? nil : key
    }
}

extension ItemAccessibility {
    /// The suffix for this accessibility in service names of Valet.
    fileprivate var nameOfValet: String {
        switch self {
        case .whenUnlocked: "AccessibleWhenUnlocked"
        case .whenUnlockedThisDeviceOnly: "AccessibleWhenUnlockedThisDeviceOnly"
        case .afterFirstUnlock: "AccessibleAfterFirstUnlock"
        case .afterFirstUnlockThisDeviceOnly: "AccessibleAfterFirstUnlockThisDeviceOnly"
        case .always: "AccessibleAlways"
        case .alwaysThisDeviceOnly: "AccessibleAlwaysThisDeviceOnly"
        case .whenPasscodeSetThisDeviceOnly: "AccessibleWhenPasscodeSetThisDeviceOnly"
        }
    }
}
