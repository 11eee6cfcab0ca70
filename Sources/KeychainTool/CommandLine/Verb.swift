// SPDX-License-Identifier: Apache-2.0

/// A command of the tool, by macOS's name.
package enum Verb: String, CaseIterable, Sendable {
    case help
    case listKeychains = "list-keychains"
    case defaultKeychain = "default-keychain"
    case loginKeychain = "login-keychain"
    case createKeychain = "create-keychain"
    case lockKeychain = "lock-keychain"
    case unlockKeychain = "unlock-keychain"
    case setKeychainSettings = "set-keychain-settings"
    case setKeychainPassword = "set-keychain-password"
    case setKeyPartitionList = "set-key-partition-list"
    case showKeychainInfo = "show-keychain-info"
    case dumpKeychain = "dump-keychain"
    case createKeypair = "create-keypair"
    case addGenericPassword = "add-generic-password"
    case addInternetPassword = "add-internet-password"
    case addCertificates = "add-certificates"
    case findGenericPassword = "find-generic-password"
    case findInternetPassword = "find-internet-password"
    case deleteGenericPassword = "delete-generic-password"
    case deleteInternetPassword = "delete-internet-password"
    case findKey = "find-key"
    case findCertificate = "find-certificate"
    case findIdentity = "find-identity"
    case deleteCertificate = "delete-certificate"
    case deleteIdentity = "delete-identity"
    case deleteKey = "delete-key"
    /// Must be written out, because it cannot be undone.
    case deleteKeychain = "delete-keychain"
    case export
    case `import`
    case error

    /// Finds the verb by its name or by any beginning of it; the first in the list wins, as on macOS.
    package init?(abbreviation: String) {
        guard !abbreviation.isEmpty,
            let verb = Self.allCases.first(where: { $0.rawValue.utf8.starts(with: abbreviation.utf8) }),
            verb != .deleteKeychain || abbreviation == verb.rawValue
        else { return nil }
        self = verb
    }

    /// How many operands the verb takes.
    var operandLimit: Int {
        switch self {
        case .addGenericPassword, .addInternetPassword, .createKeychain, .showKeychainInfo, .lockKeychain,
            .unlockKeychain, .setKeychainSettings, .setKeychainPassword, .setKeyPartitionList,
            .defaultKeychain:
            1
        case .import, .createKeypair: 1
        case .export, .loginKeychain: 0
        default: .max
        }
    }
}

/// The verbs that an option belongs to.
package struct VerbSet: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

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
    static let deleteKeychain = Self(rawValue: 1 << 14)

    static let `import` = Self(rawValue: 1 << 16)
    static let export = Self(rawValue: 1 << 17)
    static let addCertificates = Self(rawValue: 1 << 18)
    static let findCertificate = Self(rawValue: 1 << 19)
    static let deleteCertificate = Self(rawValue: 1 << 20)
    static let findIdentity = Self(rawValue: 1 << 21)
    static let deleteIdentity = Self(rawValue: 1 << 22)
    static let findKey = Self(rawValue: 1 << 23)
    static let createKeypair = Self(rawValue: 1 << 24)

    static let loginKeychain = Self(rawValue: 1 << 25)
    static let defaultKeychain = Self(rawValue: 1 << 26)
    static let listKeychains = Self(rawValue: 1 << 27)
    static let partitionList = Self(rawValue: 1 << 28)
    static let deleteKey = Self(rawValue: 1 << 29)

    static let generic: Self = [.addGeneric, .findGeneric, .deleteGeneric]
    static let internet: Self = [.addInternet, .findInternet, .deleteInternet]
    static let passwords: Self = [.generic, .internet]
    static let add: Self = [.addGeneric, .addInternet]
    static let find: Self = [.findGeneric, .findInternet]
    /// What stores keys and certificates.
    static let addObjects: Self = [.import, .addCertificates, .createKeypair]
    static let deleteObjects: Self = [.deleteCertificate, .deleteIdentity]
    static let files: Self = [.import, .export]
    static let lists: Self = [.loginKeychain, .defaultKeychain, .listKeychains]
    /// The options that describe a key.
    static let keys: Self = [.findKey, .deleteKey]

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
            case .deleteKeychain: .deleteKeychain
            case .import: .import
            case .export: .export
            case .addCertificates: .addCertificates
            case .findCertificate: .findCertificate
            case .deleteCertificate: .deleteCertificate
            case .findIdentity: .findIdentity
            case .deleteIdentity: .deleteIdentity
            case .findKey: .findKey
            case .createKeypair: .createKeypair
            case .loginKeychain: .loginKeychain
            case .defaultKeychain: .defaultKeychain
            case .listKeychains: .listKeychains
            case .setKeyPartitionList: .partitionList
            case .deleteKey: .deleteKey
            case .help, .error: []
            }
    }
}
