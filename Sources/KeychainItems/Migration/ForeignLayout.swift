// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// How another library keeps its values in the keychain.
///
/// ```swift
/// let layout = ForeignLayout.keychainSwift(prefix: "mail_")
/// let values = try vault.values(of: layout)
/// ```
///
/// Names and formats are facts about those libraries; none of their code is needed.
public struct ForeignLayout: Sendable {
    /// Where the library keeps the key.
    enum KeyPlace: Sendable {
        /// In the account, behind a prefix.
        case account(prefix: String)
        /// In the service, behind a prefix.
        case service(prefix: String)
    }

    /// What the library makes of a value.
    enum Format: Sendable {
        /// The bytes themselves.
        case bytes
        /// The bytes of a string; anything else is a binary property list.
        case propertyList
        /// A keyed archive.
        case archive
    }

    let query: ItemQuery<GenericPassword>
    let place: KeyPlace
    let format: Format
    /// Keys of items that are the library's own and no values.
    var hidden: Set<String> = []

    private init(service: String?, _ place: KeyPlace, _ format: Format) {
        query = .genericPasswords(service: service)
        self.place = place
        self.format = format
    }

    /// A vault of this package.
    public static func vault(service: String) -> Self { Self(service: service, .account(prefix: ""), .bytes) }

    /// Valet, by the name of its service: the whole of it for a valet with an explicitly set identifier.
    public static func valet(service: String) -> Self {
        var layout = Self(service: service, .account(prefix: ""), .bytes)
        layout.hidden = ["VAL_KeychainCanaryUsername"]
        return layout
    }

    /// Valet, by the identifier and the accessibility of `Valet.valet(with:accessibility:)`.
    public static func valet(identifier: String, accessibility: ItemAccessibility = .whenUnlocked) -> Self {
        .valet(
            service:
                "VAL_VALValet_initWithIdentifier:accessibility:_\(identifier)_\(accessibility.nameOfValet)"
        )
    }

    /// FXKeychain 1.2 to 1.5.
    ///
    /// - Parameter service: Its service; `nil` for the values of all services.
    /// - Returns: The layout.
    public static func fxKeychain(service: String?) -> Self {
        Self(service: service, .account(prefix: ""), .propertyList)
    }

    /// Lockbox and Strongbox.
    ///
    /// - Parameter prefix: The prefix, without the dot: the bundle identifier by default.
    /// - Returns: The layout.
    public static func lockbox(prefix: String) -> Self {
        Self(service: nil, .service(prefix: prefix + "."), .archive)
    }

    /// KeychainAccess.
    public static func keychainAccess(service: String) -> Self {
        Self(service: service, .account(prefix: ""), .bytes)
    }

    /// keychain-swift, which has no service.
    ///
    /// - Parameter prefix: Its `keyPrefix`.
    /// - Returns: The layout.
    public static func keychainSwift(prefix: String = "") -> Self {
        Self(service: "", .account(prefix: prefix), .bytes)
    }

    /// SwiftKeychainWrapper; its strings and data, as numbers are archives.
    public static func swiftKeychainWrapper(service: String) -> Self {
        Self(service: service, .account(prefix: ""), .bytes)
    }

    /// SAMKeychain and SSKeychain.
    public static func samKeychain(service: String) -> Self {
        Self(service: service, .account(prefix: ""), .bytes)
    }
}

extension ForeignLayout {
    /// The key of an item; `nil` for an item that belongs to something else.
    func key(of item: GenericPassword) -> String? {
        let (name, prefix) =
            switch place {
            case .account(let prefix): (item.account.string, prefix)
            case .service(let prefix): (item.service.string, prefix)
            }
        guard let name, name.hasPrefix(prefix), !hidden.contains(name) else { return nil }
        let key = String(name.dropFirst(prefix.count))
        return key.isEmpty ? nil : key
    }
}

extension ItemAccessibility {
    /// The end of a service of Valet.
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
