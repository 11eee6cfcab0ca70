// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program has a shared object, constants of type `String!`, the bundle identifier as service,
// accounts as data, and archived objects. It reads results as dictionaries of `AnyHashable`, with its own
// and with Apple's constants.

private let SecMatchLimit: String! = kSecMatchLimit as String
private let SecReturnData: String! = kSecReturnData as String
private let SecReturnPersistentRef: String! = kSecReturnPersistentRef as String
private let SecValueData: String! = kSecValueData as String
private let SecAttrAccessible: String! = kSecAttrAccessible as String
private let SecClass: String! = kSecClass as String
private let SecAttrService: String! = kSecAttrService as String
private let SecAttrGeneric: String! = kSecAttrGeneric as String
private let SecAttrAccount: String! = kSecAttrAccount as String
private let SecAttrAccessGroup: String! = kSecAttrAccessGroup as String
private let SecReturnAttributes: String = kSecReturnAttributes as String

open class SharedInstance {
    @available(*, deprecated, message: "use standard")
    public static let shared = SharedInstance.standard

    public static let standard = SharedInstance()

    private static let defaultServiceName: String = {
        return Bundle.main.bundleIdentifier ?? "SharedInstance"
    }()

    private(set) public var serviceName: String
    private(set) public var accessGroup: String?

    private convenience init() { self.init(serviceName: SharedInstance.defaultServiceName) }

    public init(serviceName: String, accessGroup: String? = nil) {
        self.serviceName = serviceName
        self.accessGroup = accessGroup
    }

    open func hasValue(
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> Bool {
        if let _ = data(forKey: key, withAccessibility: access, isSynchronizable: sync) {
            return true
        } else {
            return false
        }
    }

    open func accessibility(ofKey key: String) -> Accessibility? {
        var query = setupQueryDictionary(forKey: key)
        query.removeValue(forKey: SecAttrAccessible)
        query[SecMatchLimit] = kSecMatchLimitOne
        query[SecReturnAttributes] = kCFBooleanTrue
        var result: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        guard status == noErr, let attributes = result as? [String: AnyObject],
            let value = attributes[SecAttrAccessible] as? String
        else { return nil }
        return Accessibility.forAttribute(value as CFString)
    }

    open func allKeys() -> Set<String> {
        var query: [String: Any] = [
            SecClass: kSecClassGenericPassword,
            SecAttrService: serviceName,
            SecReturnAttributes: kCFBooleanTrue!,
            SecMatchLimit: kSecMatchLimitAll,
        ]
        if let accessGroup = self.accessGroup { query[SecAttrAccessGroup] = accessGroup }
        var result: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        guard status == errSecSuccess else { return [] }
        var keys = Set<String>()
        if let results = result as? [[AnyHashable: Any]] {
            for attributes in results {
                // The first subscript wraps the constant in an optional, which finds nothing; the second uses
                // Apple's own constant.
                if let data = attributes[SecAttrAccount] as? Data,
                    let key = String(data: data, encoding: String.Encoding.utf8)
                {
                    keys.insert(key)
                } else if let data = attributes[kSecAttrAccount] as? Data,
                    let key = String(data: data, encoding: String.Encoding.utf8)
                {
                    keys.insert(key)
                }
            }
        }
        return keys
    }

    open func integer(
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> Int? {
        guard
            let numberValue = object(forKey: key, withAccessibility: access, isSynchronizable: sync)
                as? NSNumber
        else { return nil }
        return numberValue.intValue
    }

    open func float(
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> Float? {
        guard
            let numberValue = object(forKey: key, withAccessibility: access, isSynchronizable: sync)
                as? NSNumber
        else { return nil }
        return numberValue.floatValue
    }

    open func double(
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> Double? {
        guard
            let numberValue = object(forKey: key, withAccessibility: access, isSynchronizable: sync)
                as? NSNumber
        else { return nil }
        return numberValue.doubleValue
    }

    open func bool(
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> Bool? {
        guard
            let numberValue = object(forKey: key, withAccessibility: access, isSynchronizable: sync)
                as? NSNumber
        else { return nil }
        return numberValue.boolValue
    }

    open func string(
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> String? {
        guard let data = data(forKey: key, withAccessibility: access, isSynchronizable: sync)
        else { return nil }
        return String(data: data, encoding: String.Encoding.utf8) as String?
    }

    open func object(
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> NSCoding? {
        guard let data = data(forKey: key, withAccessibility: access, isSynchronizable: sync)
        else { return nil }
        return NSKeyedUnarchiver.unarchiveObject(with: data) as? NSCoding
    }

    open func data(
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> Data? {
        var query = setupQueryDictionary(forKey: key, withAccessibility: access, isSynchronizable: sync)
        query[SecMatchLimit] = kSecMatchLimitOne
        query[SecReturnData] = kCFBooleanTrue
        var result: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        return status == noErr ? result as? Data : nil
    }

    open func dataRef(
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> Data? {
        var query = setupQueryDictionary(forKey: key, withAccessibility: access, isSynchronizable: sync)
        query[SecMatchLimit] = kSecMatchLimitOne
        query[SecReturnPersistentRef] = kCFBooleanTrue
        var result: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        return status == noErr ? result as? Data : nil
    }

    @discardableResult
    open func set(
        _ value: Int,
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> Bool {
        return set(NSNumber(value: value), forKey: key, withAccessibility: access, isSynchronizable: sync)
    }

    @discardableResult
    open func set(
        _ value: Float,
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> Bool {
        return set(NSNumber(value: value), forKey: key, withAccessibility: access, isSynchronizable: sync)
    }

    @discardableResult
    open func set(
        _ value: Double,
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> Bool {
        return set(NSNumber(value: value), forKey: key, withAccessibility: access, isSynchronizable: sync)
    }

    @discardableResult
    open func set(
        _ value: Bool,
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> Bool {
        return set(NSNumber(value: value), forKey: key, withAccessibility: access, isSynchronizable: sync)
    }

    @discardableResult
    open func set(
        _ value: String,
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> Bool {
        if let data = value.data(using: .utf8) {
            return set(data, forKey: key, withAccessibility: access, isSynchronizable: sync)
        } else {
            return false
        }
    }

    @discardableResult
    open func set(
        _ value: NSCoding,
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> Bool {
        let data = NSKeyedArchiver.archivedData(withRootObject: value)
        return set(data, forKey: key, withAccessibility: access, isSynchronizable: sync)
    }

    @discardableResult
    open func set(
        _ value: Data,
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> Bool {
        var query: [String: Any] = setupQueryDictionary(
            forKey: key,
            withAccessibility: access,
            isSynchronizable: sync
        )
        query[SecValueData] = value
        if let accessibility = access {
            query[SecAttrAccessible] = accessibility.keychainAttrValue
        } else {
            query[SecAttrAccessible] = Accessibility.whenUnlocked.keychainAttrValue
        }
        let status: OSStatus = SecItemAdd(query as CFDictionary, nil)
        if status == errSecSuccess {
            return true
        } else if status == errSecDuplicateItem {
            return update(value, forKey: key, withAccessibility: access, isSynchronizable: sync)
        } else {
            return false
        }
    }

    @available(*, deprecated, message: "use removeObject")
    @discardableResult
    open func remove(key: String, withAccessibility access: Accessibility? = nil) -> Bool {
        return removeObject(forKey: key, withAccessibility: access)
    }

    @discardableResult
    open func removeObject(
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> Bool {
        let query: [String: Any] = setupQueryDictionary(
            forKey: key,
            withAccessibility: access,
            isSynchronizable: sync
        )
        let status: OSStatus = SecItemDelete(query as CFDictionary)
        return status == errSecSuccess
    }

    @discardableResult
    open func removeAllKeys() -> Bool {
        var query: [String: Any] = [SecClass: kSecClassGenericPassword]
        query[SecAttrService] = serviceName
        if let accessGroup = self.accessGroup { query[SecAttrAccessGroup] = accessGroup }
        let status: OSStatus = SecItemDelete(query as CFDictionary)
        return status == errSecSuccess
    }

    open class func wipeKeychain() {
        deleteKeychainSecClass(kSecClassGenericPassword)
        deleteKeychainSecClass(kSecClassInternetPassword)
        deleteKeychainSecClass(kSecClassCertificate)
        deleteKeychainSecClass(kSecClassKey)
        deleteKeychainSecClass(kSecClassIdentity)
    }

    @discardableResult
    private class func deleteKeychainSecClass(_ secClass: AnyObject) -> Bool {
        let query = [SecClass: secClass]
        let status: OSStatus = SecItemDelete(query as CFDictionary)
        return status == errSecSuccess
    }

    private func update(
        _ value: Data,
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> Bool {
        var query: [String: Any] = setupQueryDictionary(
            forKey: key,
            withAccessibility: access,
            isSynchronizable: sync
        )
        let update = [SecValueData: value]
        if let accessibility = access {
            query[SecAttrAccessible] = accessibility.keychainAttrValue
        }
        let status: OSStatus = SecItemUpdate(query as CFDictionary, update as CFDictionary)
        return status == errSecSuccess
    }

    private func setupQueryDictionary(
        forKey key: String,
        withAccessibility access: Accessibility? = nil,
        isSynchronizable sync: Bool = false
    ) -> [String: Any] {
        var query: [String: Any] = [SecClass: kSecClassGenericPassword]
        query[SecAttrService] = serviceName
        if let accessibility = access {
            query[SecAttrAccessible] = accessibility.keychainAttrValue
        }
        if let accessGroup = self.accessGroup { query[SecAttrAccessGroup] = accessGroup }
        let encodedIdentifier: Data? = key.data(using: String.Encoding.utf8)
        query[SecAttrGeneric] = encodedIdentifier
        query[SecAttrAccount] = encodedIdentifier
        query[String(kSecAttrSynchronizable)] = sync ? kCFBooleanTrue : kCFBooleanFalse
        return query
    }
}
