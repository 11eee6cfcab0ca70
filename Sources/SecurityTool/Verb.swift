// SPDX-License-Identifier: Apache-2.0

/// A command of the tool, by macOS's name.
package enum Verb: String, CaseIterable, Sendable {
    case help
    case createKeychain = "create-keychain"
    case lockKeychain = "lock-keychain"
    case unlockKeychain = "unlock-keychain"
    case setKeychainSettings = "set-keychain-settings"
    case setKeychainPassword = "set-keychain-password"
    case showKeychainInfo = "show-keychain-info"
    case dumpKeychain = "dump-keychain"
    case addGenericPassword = "add-generic-password"
    case addInternetPassword = "add-internet-password"
    case findGenericPassword = "find-generic-password"
    case findInternetPassword = "find-internet-password"
    case deleteGenericPassword = "delete-generic-password"
    case deleteInternetPassword = "delete-internet-password"
    case error

    /// Finds the verb by its name or by any beginning of it; the first in the list wins, as on macOS.
    package init?(abbreviation: String) {
        guard !abbreviation.isEmpty,
            let verb = Self.allCases.first(where: { $0.rawValue.utf8.starts(with: abbreviation.utf8) })
        else { return nil }
        self = verb
    }

    /// How many operands the verb takes.
    var operandLimit: Int {
        switch self {
        case .addGenericPassword, .addInternetPassword, .createKeychain, .showKeychainInfo, .lockKeychain,
            .unlockKeychain, .setKeychainSettings, .setKeychainPassword:
            1
        default: .max
        }
    }
}

/// The verbs that an option belongs to.
package struct VerbSet: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    static let addGeneric = Self(rawValue: 1 << 0)
    static let addInternet = Self(rawValue: 1 << 1)
    static let findGeneric = Self(rawValue: 1 << 2)
    static let findInternet = Self(rawValue: 1 << 3)
    static let deleteGeneric = Self(rawValue: 1 << 4)
    static let deleteInternet = Self(rawValue: 1 << 5)
    static let dump = Self(rawValue: 1 << 6)
    static let info = Self(rawValue: 1 << 7)
    /// Before any verb.
    static let tool = Self(rawValue: 1 << 8)
    static let create = Self(rawValue: 1 << 9)
    static let lock = Self(rawValue: 1 << 10)
    static let unlock = Self(rawValue: 1 << 11)
    static let lockSettings = Self(rawValue: 1 << 12)
    static let passcode = Self(rawValue: 1 << 13)

    static let generic: Self = [.addGeneric, .findGeneric, .deleteGeneric]
    static let internet: Self = [.addInternet, .findInternet, .deleteInternet]
    static let passwords: Self = [.generic, .internet]
    static let add: Self = [.addGeneric, .addInternet]
    static let find: Self = [.findGeneric, .findInternet]

    package init(_ verb: Verb) {
        self =
            switch verb {
            case .addGenericPassword: .addGeneric
            case .addInternetPassword: .addInternet
            case .findGenericPassword: .findGeneric
            case .findInternetPassword: .findInternet
            case .deleteGenericPassword: .deleteGeneric
            case .deleteInternetPassword: .deleteInternet
            case .dumpKeychain: .dump
            case .showKeychainInfo: .info
            case .createKeychain: .create
            case .lockKeychain: .lock
            case .unlockKeychain: .unlock
            case .setKeychainSettings: .lockSettings
            case .setKeychainPassword: .passcode
            case .help, .error: []
            }
    }
}
