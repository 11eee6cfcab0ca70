// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

/// The meaning of a dictionary key, which depends on its length and first letter.
///
/// Source: Apple's published Security sources.
enum DictionaryKey {
    case itemClass
    case attribute(Attribute)
    case foreignAttribute
    case match(MatchKey?)
    case returned(ReturnKeys)
    case use(UseKey)
    case value(ValueKey)
    /// `nleg`, which selects the data protection keychain; there is no other keychain here.
    case noLegacy
    /// A name that starts with `f`, which is ignored.
    case ignored
    case unknown
    /// A number, the legacy form of a four-character name.
    case number
    /// Neither a name nor a number.
    case object

    init(_ key: Any) {
        guard let name = String(exactly: key) ?? (key as? String) else {
            self = type(of: key) != Bool.self && key is NSNumber ? .number : .object
            return
        }
        self = name.utf16.count == 4 ? Self(attributeNamed: name) : Self(longName: name)
    }

    private init(attributeNamed name: String) {
        if let attribute = Attribute(name: name) {
            self = .attribute(attribute)
        } else {
            switch name {
            case "nleg": self = .noLegacy
            // `data` and `v_pk` are columns of Apple's database and not attributes.
            case "data", "v_pk": self = .unknown
            default: self = .foreignAttribute
            }
        }
    }

    private init(longName name: String) {
        self =
            switch name.utf8.first {
            case _ where name.utf8.count < 2: .unknown
            case UInt8(ascii: "c"): name == "class" ? .itemClass : .unknown
            case UInt8(ascii: "m"): .match(MatchKey(rawValue: name))
            case UInt8(ascii: "r"): Self.returned(name)
            case UInt8(ascii: "u"): UseKey(rawValue: name).map { .use($0) } ?? .unknown
            case UInt8(ascii: "v"): ValueKey(rawValue: name).map { .value($0) } ?? .unknown
            case UInt8(ascii: "f"): .ignored
            default: .unknown
            }
    }

    private static func returned(_ name: String) -> Self {
        switch name {
        case "r_Data": .returned(.data)
        case "r_Attributes": .returned(.attributes)
        case "r_Ref": .returned(.reference)
        case "r_PersistentRef": .returned(.persistentReference)
        default: .unknown
        }
    }
}

/// The match keys whose values searches read, and `itemList` and `searchList`, which searches ignore.
///
/// Searches ignore all other names that start with `m`, but check that their values have a valid type.
enum MatchKey: String {
    case limit = "m_Limit"
    case policy = "m_Policy"
    case issuers = "m_Issuers"
    case emailAddress = "m_EmailAddressIfPresent"
    case hostOrSubdomain = "m_HostOrSubdomainOfHost"
    case trustedOnly = "m_TrustedOnly"
    case validOnDate = "m_ValidOnDate"
    case itemList = "m_ItemList"
    case searchList = "m_SearchList"
}

enum UseKey: String {
    case itemList = "u_ItemList"
    case keychain = "u_Keychain"
    case operationPrompt = "u_OpPrompt"
    case noAuthenticationUI = "u_NoAuthUI"
    case authenticationUI = "u_AuthUI"
    case authenticationContext = "u_AuthCtx"
    case credentialReference = "u_CredRef"
    case tombstones = "u_Tomb"
    case tokenRawItems = "u_TokenRawItems"
    case callerName = "u_CallerName"
    case certificatesWithMatchIssuers = "u_CertWithIssuers"
    case systemKeychain = "u_SystemKeychain"
    case systemKeychainAlways = "u_SystemKeychainAlways"
    case syncBubbleKeychain = "u_SyncBubbleKeychain"
    case userIndependentKeychain = "u_UserIndependentKeychain"
}

enum ValueKey: String {
    case data = "v_Data"
    case reference = "v_Ref"
    case persistentReference = "v_PersistentRef"
}
