// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program is a class with a lock. An enumeration contains the key names; the class stores the
// last status and passes a pointer to the result.

enum StoreNames {
    static var accessGroup: String { text(kSecAttrAccessGroup) }
    static var accessible: String { text(kSecAttrAccessible) }
    static var account: String { text(kSecAttrAccount) }
    static var synchronizable: String { text(kSecAttrSynchronizable) }
    static var itemClass: String { text(kSecClass) }
    static var matchLimit: String { text(kSecMatchLimit) }
    static var returnData: String { text(kSecReturnData) }
    static var returnAttributes: String { text(kSecReturnAttributes) }
    static var valueData: String { text(kSecValueData) }

    static func text(_ value: CFString) -> String { value as String }
}

enum StoreAccess {
    case whenUnlocked
    case whenUnlockedThisDeviceOnly
    case afterFirstUnlock
    case afterFirstUnlockThisDeviceOnly
    case whenPasscodeSetThisDeviceOnly

    static var defaultOption: StoreAccess { .whenUnlocked }

    var value: String {
        switch self {
        case .whenUnlocked: return StoreNames.text(kSecAttrAccessibleWhenUnlocked)
        case .whenUnlockedThisDeviceOnly: return StoreNames.text(kSecAttrAccessibleWhenUnlockedThisDeviceOnly)
        case .afterFirstUnlock: return StoreNames.text(kSecAttrAccessibleAfterFirstUnlock)
        case .afterFirstUnlockThisDeviceOnly:
            return StoreNames.text(kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly)
        case .whenPasscodeSetThisDeviceOnly:
            return StoreNames.text(kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly)
        }
    }
}

class PrefixedStore {
    private let lock = NSLock()
    private let prefix: String
    var lastResultCode: OSStatus = noErr
    var accessGroup: String?
    var synchronizable = false

    init(prefix: String) { self.prefix = prefix }

    @discardableResult
    func set(_ value: String, forKey key: String, withAccess access: StoreAccess? = nil) -> Bool {
        guard let value = value.data(using: .utf8) else { return false }
        return set(value, forKey: key, withAccess: access)
    }

    @discardableResult
    func set(_ value: Data, forKey key: String, withAccess access: StoreAccess? = nil) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        deleteNoLock(key)
        let accessible = access?.value ?? StoreAccess.defaultOption.value
        var query: [String: Any] = [
            StoreNames.itemClass: kSecClassGenericPassword,
            StoreNames.account: prefix + key,
            StoreNames.valueData: value,
            StoreNames.accessible: accessible,
        ]
        query = addAccessGroup(query)
        query = addSynchronizable(query, addingItems: true)
        lastResultCode = SecItemAdd(query as CFDictionary, nil)
        return lastResultCode == noErr
    }

    @discardableResult
    func set(_ value: Bool, forKey key: String) -> Bool {
        set(Data(value ? [1] : [0]), forKey: key)
    }

    func get(_ key: String) -> String? {
        guard let data = getData(key) else { return nil }
        guard let text = String(data: data, encoding: .utf8) else {
            lastResultCode = errSecInvalidData
            return nil
        }
        return text
    }

    func getBool(_ key: String) -> Bool? { getData(key)?.first.map { $0 == 1 } }

    func getData(_ key: String) -> Data? {
        lock.lock()
        defer { lock.unlock() }
        var query: [String: Any] = [
            StoreNames.itemClass: kSecClassGenericPassword,
            StoreNames.account: prefix + key,
            StoreNames.matchLimit: kSecMatchLimitOne,
        ]
        query[StoreNames.returnData] = kCFBooleanTrue
        query = addAccessGroup(query)
        query = addSynchronizable(query, addingItems: false)
        var result: AnyObject?
        lastResultCode = withUnsafeMutablePointer(to: &result) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        return lastResultCode == noErr ? result as? Data : nil
    }

    var allKeys: [String] {
        var query: [String: Any] = [
            StoreNames.itemClass: kSecClassGenericPassword,
            StoreNames.returnData: true,
            StoreNames.returnAttributes: true,
            StoreNames.matchLimit: kSecMatchLimitAll,
        ]
        query = addAccessGroup(query)
        var result: AnyObject?
        let status = withUnsafeMutablePointer(to: &result) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        guard status == noErr else { return [] }
        return (result as? [[String: Any]])?.compactMap { $0[StoreNames.account] as? String } ?? []
    }

    @discardableResult
    func delete(_ key: String) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        return deleteNoLock(key)
    }

    @discardableResult
    private func deleteNoLock(_ key: String) -> Bool {
        let query: [String: Any] = [
            StoreNames.itemClass: kSecClassGenericPassword, StoreNames.account: prefix + key,
        ]
        lastResultCode = SecItemDelete(addAccessGroup(query) as CFDictionary)
        return lastResultCode == noErr
    }

    @discardableResult
    func clear() -> Bool {
        lastResultCode = SecItemDelete([kSecClass as String: kSecClassGenericPassword] as CFDictionary)
        return lastResultCode == noErr
    }

    private func addAccessGroup(_ items: [String: Any]) -> [String: Any] {
        guard let accessGroup = accessGroup else { return items }
        var result = items
        result[StoreNames.accessGroup] = accessGroup
        return result
    }

    private func addSynchronizable(_ items: [String: Any], addingItems: Bool) -> [String: Any] {
        if !synchronizable { return items }
        var result = items
        result[StoreNames.synchronizable] = addingItems ? true : kSecAttrSynchronizableAny
        return result
    }
}
