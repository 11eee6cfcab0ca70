// SPDX-License-Identifier: Apache-2.0

import Foundation
@preconcurrency import LocalAuthentication
import Security

// Style: a value that makes its queries in functions which its tests compare as `NSDictionary`; the functions of the
// keychain in variables, so that tests put others in their place; a constant as the raw value of an enumeration.

typealias RetrieveFunction = (_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus
typealias RemoveFunction = (_ query: CFDictionary) -> OSStatus

enum ValueAccessibility: RawRepresentable {
    case whenUnlocked, afterFirstUnlock, whenPasscodeSetThisDeviceOnly

    init(rawValue: CFString) {
        switch rawValue {
        case kSecAttrAccessibleWhenUnlocked: self = .whenUnlocked
        case kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: self = .whenPasscodeSetThisDeviceOnly
        default: self = .afterFirstUnlock
        }
    }

    var rawValue: CFString {
        switch self {
        case .whenUnlocked: return kSecAttrAccessibleWhenUnlocked
        case .afterFirstUnlock: return kSecAttrAccessibleAfterFirstUnlock
        case .whenPasscodeSetThisDeviceOnly: return kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
        }
    }
}

struct QueryValues: @unchecked Sendable {
    enum Failure: Error, Equatable { case status(OSStatus), unknown(String) }

    let service: String
    let accessGroup: String?
    let accessibility: ValueAccessibility
    let accessControlFlags: SecAccessControlCreateFlags?
    let isSynchronizable: Bool
    let attributes: [String: Any]
    let context: LAContext?

    var retrieve: RetrieveFunction = SecItemCopyMatching
    var remove: RemoveFunction = SecItemDelete

    init(
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

    func data(forKey key: String) throws -> Data {
        var result: AnyObject?
        try check(retrieve(getOneQuery(byKey: key) as CFDictionary, &result))
        guard let data = result as? Data else { throw Failure.unknown("not data") }
        return data
    }

    func set(_ data: Data, forKey key: String) throws {
        let status = SecItemAdd(setQuery(forKey: key, data: data) as CFDictionary, nil)
        if status == errSecDuplicateItem {
            let changes: [String: Any] = [kSecValueData as String: data]
            try check(SecItemUpdate(baseQuery(withKey: key) as CFDictionary, changes as CFDictionary))
        } else {
            try check(status)
        }
    }

    func hasItem(forKey key: String) throws -> Bool {
        let status = retrieve(baseQuery(withKey: key) as CFDictionary, nil)
        if status == errSecItemNotFound { return false }
        try check(status)
        return true
    }

    func keys() throws -> [String] {
        var result: AnyObject?
        let status = retrieve(getAllQuery as CFDictionary, &result)
        if status == errSecItemNotFound { return [] }
        try check(status)
        guard let items = result as? [[String: Any]] else { throw Failure.unknown("not attributes") }
        return items.compactMap { $0[kSecAttrAccount as String] as? String }
    }

    func deleteAll() throws {
        var query = baseQuery()
        // What the branch for macOS writes.
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        let status = remove(query as CFDictionary)
        if status != errSecItemNotFound { try check(status) }
    }

    func baseQuery(withKey key: String? = nil, data: Data? = nil) -> [String: Any] {
        var query = self.attributes
        query[kSecClass as String] = kSecClassGenericPassword
        query[kSecAttrService as String] = service
        if let key = key { query[kSecAttrAccount as String] = key }
        if let data = data { query[kSecValueData as String] = data }
        if let accessGroup = accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
        if let context = context { query[kSecUseAuthenticationContext as String] = context }
        if isSynchronizable { query[kSecAttrSynchronizable as String] = kCFBooleanTrue }
        return query
    }

    var getAllQuery: [String: Any] {
        var query = baseQuery()
        query[kSecReturnAttributes as String] = kCFBooleanTrue
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        return query
    }

    func getOneQuery(byKey key: String) -> [String: Any] {
        var query = baseQuery(withKey: key)
        query[kSecReturnData as String] = kCFBooleanTrue
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        return query
    }

    func setQuery(forKey key: String, data: Data) -> [String: Any] {
        var query = baseQuery(withKey: key, data: data)
        if let flags = accessControlFlags,
            let access = SecAccessControlCreateWithFlags(
                kCFAllocatorDefault,
                accessibility.rawValue,
                flags,
                nil
            )
        {
            query[kSecAttrAccessControl as String] = access
        } else {
            if isSynchronizable || query[kSecUseDataProtectionKeychain as String] as? Bool == true {
                query[kSecAttrAccessible as String] = accessibility.rawValue
            }
        }
        return query
    }

    private func check(_ status: OSStatus) throws {
        if status != errSecSuccess { throw Failure.status(status) }
    }
}
