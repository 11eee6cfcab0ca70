// SPDX-License-Identifier: Apache-2.0

/// The five item classes.
///
/// The raw value is stored on disk.
package enum ItemClass: UInt8, CaseIterable, Sendable {
    case genericPassword = 1
    case internetPassword = 2
    case certificate = 3
    case key = 4
    case identity = 5

    /// The value of `class` in a dictionary, and the prefix of a persistent reference.
    package var name: String {
        switch self {
        case .genericPassword: "genp"
        case .internetPassword: "inet"
        case .certificate: "cert"
        case .key: "keys"
        case .identity: "idnt"
        }
    }

    package init?(name: String) {
        guard let match = Self.allCases.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
            return nil
        }
        self = match
    }
}

extension ItemClass {
    /// Whether items of this class are stored; an identity is only a pair of a stored certificate and a stored key.
    package var isStored: Bool { self != .identity }

    /// Whether the API returns items of this class as objects of their own type, such as `SecKey`.
    package var hasObject: Bool {
        switch self {
        case .genericPassword, .internetPassword: false
        case .certificate, .key, .identity: true
        }
    }

    package var defaultProtection: ProtectionClass { self == .certificate ? .always : .whenUnlocked }
}

package struct ItemClassSet: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package init(_ itemClass: ItemClass) { self.init(rawValue: 1 << itemClass.rawValue) }

    package static let generic = Self(.genericPassword)
    package static let internet = Self(.internetPassword)
    package static let certificates = Self(.certificate)
    package static let keys = Self(.key)
    package static let passwords: Self = [.generic, .internet]
    package static let every: Self = [.passwords, .certificates, .keys]

    package func contains(_ itemClass: ItemClass) -> Bool {
        // An identity has the attributes of its certificate and its key.
        itemClass == .identity
            ? !isDisjoint(with: [.certificates, .keys]) : contains(Self(itemClass))
    }
}
