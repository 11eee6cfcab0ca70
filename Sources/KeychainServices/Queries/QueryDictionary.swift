// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects
import KeychainUserPresence

/// The parameter of a `SecItem` function for which a dictionary was passed.
///
/// Each parameter accepts different keys.
enum DictionaryRole {
    case add, copy, update, newValues, delete
}

/// A parsed query dictionary.
///
/// No other type reads query dictionaries. Attributes are converted once the class is known. If a dictionary
/// has two errors, it is unspecified which of them is thrown. Source: Apple's published Security sources.
struct QueryDictionary {
    let role: DictionaryRole
    var namedClass: ItemClass?
    var supplied: [SuppliedAttribute] = []
    var accessControl: AccessControl?
    var secret: SecretBuffer?
    var object: (any ItemObject)?
    var identity: SecIdentity?
    var reference: PersistentReference?
    var returning: ReturnKeys = []
    var limit: MatchLimit?
    var hostOrSubdomain: String?
    /// The conditions that match keys impose on the certificate of an item.
    var certificateTest = CertificateTest()
    var leavesTombstones = true
    /// The classes to which all match keys of the dictionary apply.
    var matchable: ItemClassSet = .every
    var authentication = AuthenticationOptions()
    var hasContext = false
    var hasCredential = false

    static let largestCount = 128

    init(_ dictionary: NSDictionary, as role: DictionaryRole) throws(StatusError) {
        guard dictionary.count <= Self.largestCount else {
            throw StatusError(.invalidParameter, .tooManyKeys)
        }
        self.role = role
        supplied.reserveCapacity(dictionary.count)
        for (key, object) in dictionary.pairs {
            let value = SuppliedValue(object)
            if case .fraction = value { throw StatusError(.undecodable, .notAnInteger) }
            if role == .newValues {
                try takeNewValue(DictionaryKey(key), value, object)
            } else {
                try take(DictionaryKey(key), value, object)
            }
        }
        if hasContext && hasCredential { throw StatusError(.invalidParameter, .conflictingKeys) }
    }

    /// Returns the class in the dictionary, or else the class of its object or persistent reference.
    func itemClass() throws(StatusError) -> ItemClass {
        // An identity object overrides `kSecClass` in the dictionary.
        let impliedClass = identity == nil ? namedClass ?? object?.itemClass : .identity
        guard let itemClass = impliedClass ?? reference?.itemClass else {
            throw StatusError(.invalidParameter, .missingClass)
        }
        guard object == nil || object?.itemClass == itemClass else {
            throw StatusError(.noSuchAttribute, .classMismatch)
        }
        guard reference == nil || reference?.itemClass == itemClass else {
            throw StatusError(.noSuchClass, .classMismatch)
        }
        if itemClass.hasObject { try ObjectsTrait.check() }
        guard matchable.contains(itemClass) else { throw StatusError(.unimplemented, .notAllowedHere) }
        return itemClass
    }

    var isClassImplied: Bool { namedClass == nil }
}

/// An attribute that has not been converted, because the item class is not known yet.
struct SuppliedAttribute {
    let attribute: Attribute
    let value: SuppliedValue
}

extension QueryDictionary {
    private mutating func take(
        _ key: DictionaryKey,
        _ value: SuppliedValue,
        _ object: Any
    ) throws(StatusError) {
        switch key {
        case .attribute(.accessControl): try takeAccessControl(object)
        case .attribute(let attribute): supplied.append(SuppliedAttribute(attribute: attribute, value: value))
        case .itemClass: try takeClass(value)
        case .returned(let key): try takeReturnKey(key, value)
        case .match(let key): try takeMatchKey(key, value, object)
        case .use(let key): try takeUseKey(key, value, object)
        case .value(let key): try takeValue(key, value, object)
        case .noLegacy: break
        case .ignored: try SuppliedValue.checkIgnored(object)
        case .foreignAttribute, .number: throw StatusError(.noSuchAttribute, .foreignAttribute)
        case .unknown, .object: throw StatusError(.invalidParameter, .unknownKey)
        }
    }

    /// Parses a key and value of SecItemUpdate's second dictionary: an attribute or the secret.
    private mutating func takeNewValue(
        _ key: DictionaryKey,
        _ value: SuppliedValue,
        _ object: Any
    ) throws(StatusError) {
        switch key {
        case .attribute(.accessControl): try takeAccessControl(object)
        case .attribute(let attribute): supplied.append(SuppliedAttribute(attribute: attribute, value: value))
        case .value(.data): try takeValue(.data, value, object)
        case .value(.reference) where !Self.isReference(object):
            throw StatusError(.invalidParameter, .wrongValueType)
        case .noLegacy: break
        case .number, .object: throw StatusError(.invalidParameter, .unknownKey)
        default: throw StatusError(.noSuchAttribute, .foreignAttribute)
        }
    }
}
