// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

extension QueryDictionary {
    mutating func takeClass(_ value: SuppliedValue) throws(KeychainError) {
        guard case .text(let name) = value else { throw KeychainError(.invalidParameter, .missingClass) }
        guard let itemClass = ItemClass(name: name) else { throw KeychainError(.noSuchClass, .unknownClass) }
        namedClass = itemClass
    }

    mutating func takeAccessControl(_ object: Any) throws(KeychainError) {
        guard let object = object as? SecAccessControl else {
            throw KeychainError(.invalidParameter, .wrongValueType, attribute: .accessControl)
        }
        accessControl = object.content
    }

    mutating func takeReturnKey(_ key: ReturnKeys, _ value: SuppliedValue) throws(KeychainError) {
        let flag = try Self.boolean(value)
        guard flag else { return }
        if role == .update { throw KeychainError(.invalidParameter, .notAllowedHere) }
        returning.insert(key)
    }

    mutating func takeValue(_ key: ValueKey, _ value: SuppliedValue) throws(KeychainError) {
        // Until there are keys and certificates, no object can be a reference.
        guard key != .reference, case .data(let data) = value else {
            throw KeychainError(.invalidParameter, .wrongValueType)
        }
        if key == .data {
            secret = data
        } else {
            reference = try PersistentReference(data)
        }
    }

    mutating func takeUseKey(_ key: UseKey, _ value: SuppliedValue) throws(KeychainError) {
        switch key {
        case .itemList:
            guard role == .delete else { throw KeychainError(.invalidParameter, .notAllowedHere) }
        case .authenticationUI:
            guard case .text(let mode) = value else {
                throw KeychainError(.invalidParameter, .wrongValueType)
            }
            guard mode != "u_AuthUIS" || role == .copy else {
                throw KeychainError(.invalidParameter, .notAllowedHere)
            }
        case .tombstones:
            leavesTombstones =
                switch value {
                case .boolean(let flag): flag
                case .number(let number): number != 0
                case .text(let text): Int32(text) ?? 0 != 0
                default: throw KeychainError(.invalidParameter, .wrongValueType)
                }
        case .authenticationContext: hasContext = true
        case .credentialReference: hasCredential = true
        default: break
        }
    }

    static func boolean(_ value: SuppliedValue) throws(KeychainError) -> Bool {
        guard case .boolean(let flag) = value else { throw KeychainError(.invalidParameter, .wrongValueType) }
        return flag
    }
}

// MARK: - Match keys

extension QueryDictionary {
    mutating func takeMatchKey(
        _ key: MatchKey?,
        _ value: SuppliedValue,
        _ object: Any
    ) throws(KeychainError) {
        guard role == .copy else {
            // Everything is what Update and Delete mean anyway, and code written for macOS says so.
            guard role != .add, key == .limit, try Self.limit(value) == .all else {
                throw KeychainError(.invalidParameter, .notAllowedHere)
            }
            return
        }
        switch key {
        case .limit: limit = try Self.limit(value)
        case .issuers: matchable.formIntersection(.certificates)
        case .policy:
            guard case .other = value else { throw KeychainError(.invalidParameter, .wrongValueType) }
            matchable.formIntersection(.certificates)
        case .hostOrSubdomain:
            hostOrSubdomain = try Self.text(value)
            matchable.formIntersection(.internet)
        case .emailAddress: _ = try Self.text(value)
        case .trustedOnly: _ = try Self.boolean(value)
        case .validOnDate:
            switch value {
            case .date, .null: break
            default: throw KeychainError(.invalidParameter, .wrongValueType)
            }
        case .itemList, .searchList: break
        case nil: try SuppliedValue.checkIgnored(object)
        }
    }

    private static func limit(_ value: SuppliedValue) throws(KeychainError) -> MatchLimit {
        switch value {
        case .text("m_LimitOne"), .number(1): return .one
        case .text("m_LimitAll"), .number(-1): return .all
        case .number(let number) where number >= 0: return .atMost(Int(number))
        default: throw KeychainError(.invalidParameter, .wrongValueType)
        }
    }

    private static func text(_ value: SuppliedValue) throws(KeychainError) -> String {
        guard case .text(let text) = value else { throw KeychainError(.invalidParameter, .wrongValueType) }
        return text
    }
}
