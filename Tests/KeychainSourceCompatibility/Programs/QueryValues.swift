// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

#if canImport(LocalAuthentication)
@preconcurrency import LocalAuthentication
#endif

// This sample program is a value type whose tests compare its queries as `NSDictionary` and replace its
// keychain functions, which are stored in variables. A constant of Security is the raw value of an
// enumeration.

typealias RetrieveFunction = (_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus
typealias RemoveFunction = (_ query: CFDictionary) -> OSStatus

public enum ValueAccessibility: RawRepresentable {
    case whenUnlocked
    case whenUnlockedThisDeviceOnly
    case afterFirstUnlock
    case afterFirstUnlockThisDeviceOnly
    case whenPasscodeSetThisDeviceOnly

    public init(rawValue: CFString) {
        switch rawValue {
        case kSecAttrAccessibleWhenUnlocked: self = .whenUnlocked
        case kSecAttrAccessibleWhenUnlockedThisDeviceOnly: self = .whenUnlockedThisDeviceOnly
        case kSecAttrAccessibleAfterFirstUnlock: self = .afterFirstUnlock
        case kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: self = .afterFirstUnlockThisDeviceOnly
        case kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: self = .whenPasscodeSetThisDeviceOnly
        default: self = .afterFirstUnlock
        }
    }

    public var rawValue: CFString {
        switch self {
        case .whenUnlocked: return kSecAttrAccessibleWhenUnlocked
        case .whenUnlockedThisDeviceOnly: return kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        case .afterFirstUnlock: return kSecAttrAccessibleAfterFirstUnlock
        case .afterFirstUnlockThisDeviceOnly: return kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        case .whenPasscodeSetThisDeviceOnly: return kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
        }
    }
}

public struct QueryValues: @unchecked Sendable {
    let service: String
    let accessGroup: String?
    let accessibility: ValueAccessibility
    let accessControlFlags: SecAccessControlCreateFlags?
    let isSynchronizable: Bool
    let attributes: [String: Any]

    var retrieve: RetrieveFunction = SecItemCopyMatching
    var remove: RemoveFunction = SecItemDelete

    #if canImport(LocalAuthentication) && !os(tvOS)
    let context: LAContext?

    public init(
        service: String = Bundle.main.bundleIdentifier!,
        accessGroup: String? = nil,
        accessibility: ValueAccessibility = .afterFirstUnlock,
        accessControlFlags: SecAccessControlCreateFlags? = nil,
        context: LAContext? = nil,
        synchronizable: Bool = false,
        attributes: [String: Any] = [:]
    ) {
        self.service = service
        self.accessGroup = accessGroup
        self.accessibility = accessibility
        self.accessControlFlags = accessControlFlags
        self.context = context
        self.isSynchronizable = synchronizable
        self.attributes = attributes
    }
    #endif

    private func assertSuccess(forStatus status: OSStatus) throws {
        if status != errSecSuccess { throw QueryFailure(code: QueryFailure.Code(rawValue: status)) }
    }
}

public extension QueryValues {
    func string(forKey key: String) throws -> String {
        let data = try self.data(forKey: key)
        guard let result = String(data: data, encoding: .utf8) else {
            throw QueryFailure(code: QueryFailure.Code.unknown(message: "not a string"))
        }
        return result
    }

    func data(forKey key: String) throws -> Data {
        let query = self.getOneQuery(byKey: key)
        var result: AnyObject?
        try assertSuccess(forStatus: retrieve(query as CFDictionary, &result))
        guard let data = result as? Data else {
            throw QueryFailure(code: QueryFailure.Code.unknown(message: "not data"))
        }
        return data
    }

    func set(_ string: String, forKey key: String) throws {
        return try self.set(Data(string.utf8), forKey: key)
    }

    func set(_ data: Data, forKey key: String) throws {
        let addItemQuery = self.setQuery(forKey: key, data: data)
        let addStatus = SecItemAdd(addItemQuery as CFDictionary, nil)
        if addStatus == QueryFailure.duplicateItem.status {
            let updateQuery = self.baseQuery(withKey: key)
            let updateAttributes: [String: Any] = [kSecValueData as String: data]
            let updateStatus = SecItemUpdate(updateQuery as CFDictionary, updateAttributes as CFDictionary)
            try assertSuccess(forStatus: updateStatus)
        } else {
            try assertSuccess(forStatus: addStatus)
        }
    }

    func deleteItem(forKey key: String) throws {
        let query = self.baseQuery(withKey: key)
        try assertSuccess(forStatus: remove(query as CFDictionary))
    }

    func deleteAll() throws {
        #if os(macOS)
        var query = self.baseQuery()
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        #else
        let query = self.baseQuery()
        #endif
        let status = remove(query as CFDictionary)
        guard QueryFailure.Code(rawValue: status) != QueryFailure.Code.itemNotFound else { return }
        try assertSuccess(forStatus: status)
    }

    func hasItem(forKey key: String) throws -> Bool {
        let query = self.baseQuery(withKey: key)
        let status = retrieve(query as CFDictionary, nil)
        if status == QueryFailure.itemNotFound.status { return false }
        try assertSuccess(forStatus: status)
        return true
    }

    func keys() throws -> [String] {
        let query = self.getAllQuery
        var keys: [String] = []
        var result: AnyObject?
        let status = retrieve(query as CFDictionary, &result)
        guard QueryFailure.Code(rawValue: status) != QueryFailure.Code.itemNotFound else { return keys }
        try assertSuccess(forStatus: status)
        guard let items = result as? [[String: Any]] else {
            throw QueryFailure(code: QueryFailure.Code.unknown(message: "not attributes"))
        }
        for item in items {
            if let key = item[kSecAttrAccount as String] as? String { keys.append(key) }
        }
        return keys
    }
}

extension QueryValues {
    func baseQuery(withKey key: String? = nil, data: Data? = nil) -> [String: Any] {
        var query = self.attributes
        query[kSecClass as String] = kSecClassGenericPassword
        query[kSecAttrService as String] = self.service
        if let key = key { query[kSecAttrAccount as String] = key }
        if let data = data { query[kSecValueData as String] = data }
        if let accessGroup = self.accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
        #if canImport(LocalAuthentication) && !os(tvOS)
        if let context = self.context { query[kSecUseAuthenticationContext as String] = context }
        #endif
        if self.isSynchronizable { query[kSecAttrSynchronizable as String] = kCFBooleanTrue }
        return query
    }

    var getAllQuery: [String: Any] {
        var query = self.baseQuery()
        query[kSecReturnAttributes as String] = kCFBooleanTrue
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        return query
    }

    func getOneQuery(byKey key: String) -> [String: Any] {
        var query = self.baseQuery(withKey: key)
        query[kSecReturnData as String] = kCFBooleanTrue
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        return query
    }

    func setQuery(forKey key: String, data: Data) -> [String: Any] {
        var query = self.baseQuery(withKey: key, data: data)
        if let flags = self.accessControlFlags,
            let access = SecAccessControlCreateWithFlags(
                kCFAllocatorDefault,
                self.accessibility.rawValue,
                flags,
                nil
            )
        {
            query[kSecAttrAccessControl as String] = access
        } else {
            #if os(macOS)
            if self.isSynchronizable || query[kSecUseDataProtectionKeychain as String] as? Bool == true {
                query[kSecAttrAccessible as String] = self.accessibility.rawValue
            }
            #else
            query[kSecAttrAccessible as String] = self.accessibility.rawValue
            #endif
        }
        return query
    }
}
