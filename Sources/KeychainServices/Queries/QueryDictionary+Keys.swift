// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects
import KeychainUserPresence

extension QueryDictionary {
    mutating func takeClass(_ value: SuppliedValue) throws(StatusError) {
        guard case .string(let name) = value else { throw StatusError(.invalidParameter, .missingClass) }
        guard let itemClass = ItemClass(name: name) else { throw StatusError(.noSuchClass, .unknownClass) }
        namedClass = itemClass
    }

    mutating func takeAccessControl(_ object: Any) throws(StatusError) {
        guard let object = object as? SecAccessControl else {
            throw StatusError(.invalidParameter, .wrongValueType, attribute: .accessControl)
        }
        accessControl = object.content
    }

    mutating func takeReturnKey(_ key: ReturnKeys, _ value: SuppliedValue) throws(StatusError) {
        let flag = try Self.boolean(value)
        guard flag else { return }
        if role == .update { throw StatusError(.invalidParameter, .notAllowedHere) }
        returning.insert(key)
    }

    mutating func takeValue(
        _ key: ValueKey,
        _ value: SuppliedValue,
        _ object: Any
    ) throws(StatusError) {
        switch (key, value) {
        case (.data, .data(let data)): secret = data
        case (.persistentReference, .data(let data)): reference = try PersistentReference(data.bytes)
        case (.reference, _) where Self.isReference(object):
            self.object = object as? any ItemObject
            identity = object as? SecIdentity
        default: throw StatusError(.invalidParameter, .wrongValueType)
        }
    }

    /// Whether an object is a key, a certificate or an identity.
    static func isReference(_ object: Any) -> Bool { object is any ItemObject || object is SecIdentity }

    mutating func takeUseKey(
        _ key: UseKey,
        _ value: SuppliedValue,
        _ object: Any
    ) throws(StatusError) {
        switch key {
        case .itemList:
            guard role == .delete else { throw StatusError(.invalidParameter, .notAllowedHere) }
        case .authenticationUI:
            guard case .string(let mode) = value else {
                throw StatusError(.invalidParameter, .wrongValueType)
            }
            let interface = AuthenticationOptions.Interface(rawValue: mode) ?? .allow
            guard interface != .skip || role == .copy else {
                throw StatusError(.invalidParameter, .notAllowedHere)
            }
            authentication.interface = interface
        case .noAuthenticationUI:
            authentication.isForbidden = Self.flag(value) ?? false
        case .operationPrompt:
            if case .string(let prompt) = value, !prompt.isEmpty { authentication.prompt = prompt }
        case .tombstones:
            if case .string(let text) = value {
                leavesTombstones = Int32(text) ?? 0 != 0
            } else if let flag = Self.flag(value) {
                leavesTombstones = flag
            } else {
                throw StatusError(.invalidParameter, .wrongValueType)
            }
        case .authenticationContext:
            hasContext = true
            authentication.state = (object as? LAContext)?.state
        case .credentialReference: hasCredential = true
        default: break
        }
    }

    private static func flag(_ value: SuppliedValue) -> Bool? {
        switch value {
        case .boolean(let flag): flag
        case .number(let number): number != 0
        default: nil
        }
    }

    static func boolean(_ value: SuppliedValue) throws(StatusError) -> Bool {
        guard case .boolean(let flag) = value else { throw StatusError(.invalidParameter, .wrongValueType) }
        return flag
    }
}

// MARK: - Match keys

extension QueryDictionary {
    mutating func takeMatchKey(
        _ key: MatchKey?,
        _ value: SuppliedValue,
        _ object: Any
    ) throws(StatusError) {
        guard role == .copy else {
            // SecItemUpdate and SecItemDelete accept `kSecMatchLimitAll`, which code for macOS contains: they
            // update or delete all matching items anyway. They reject all other match keys, and SecItemAdd
            // rejects every match key.
            guard role != .add, key == .limit, case .string("m_LimitAll") = value else {
                throw StatusError(.invalidParameter, .notAllowedHere)
            }
            return
        }
        switch key {
        case .limit: limit = try Self.limit(value)
        case .hostOrSubdomain:
            hostOrSubdomain = try Self.string(value)
            matchable.formIntersection(.internet)
        case .issuers:
            let names = Self.names(object)
            // Ignore `kSecMatchIssuers` if none of its names can be parsed.
            guard !names.isEmpty else { return }
            matchable.formIntersection(.certificates)
            certificateTest.issuers = names
        case .policy:
            guard let policy = object as? SecPolicy else {
                throw StatusError(.invalidParameter, .wrongValueType)
            }
            matchable.formIntersection(.certificates)
            certificateTest.policy = policy.content
        case .emailAddress: certificateTest.emailAddress = try Self.string(value)
        case .trustedOnly:
            guard try Self.boolean(value), certificateTest.policy == nil else { return }
            certificateTest.policy = .basic
        case .validOnDate: certificateTest.validOn = try Self.date(value)
        case .itemList, .searchList: break
        case nil: try SuppliedValue.checkIgnored(object)
        }
    }

    /// Returns the names in an array of DER data, normalized; empty for any other object.
    private static func names(_ object: Any) -> [Data] {
        guard let array = object as? NSArray else { return [] }
        return array.objects.compactMap { ($0 as? Data).flatMap { NormalizedName(parsing: $0)?.content } }
    }

    private static func date(_ value: SuppliedValue) throws(StatusError) -> Double {
        switch value {
        case .date(let seconds): return seconds
        case .null: return Date().timeIntervalSinceReferenceDate
        default: throw StatusError(.invalidParameter, .wrongValueType)
        }
    }

    private static func limit(_ value: SuppliedValue) throws(StatusError) -> MatchLimit {
        switch value {
        case .string("m_LimitOne"), .number(1): return .one
        case .string("m_LimitAll"), .number(-1): return .all
        case .number(let number) where number >= 0: return .atMost(Int(number))
        default: throw StatusError(.invalidParameter, .wrongValueType)
        }
    }

    private static func string(_ value: SuppliedValue) throws(StatusError) -> String {
        guard case .string(let text) = value else { throw StatusError(.invalidParameter, .wrongValueType) }
        return text
    }
}
