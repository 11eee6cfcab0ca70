// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// Style: constants of type `String!`, a shared object, a service that is the bundle's, identifiers as data.

private let SecMatchLimit: String! = kSecMatchLimit as String
private let SecReturnData: String! = kSecReturnData as String
private let SecReturnPersistentRef: String! = kSecReturnPersistentRef as String
private let SecValueData: String! = kSecValueData as String
private let SecAttrAccessible: String! = kSecAttrAccessible as String
private let SecClass: String! = kSecClass as String
private let SecAttrService: String! = kSecAttrService as String
private let SecAttrGeneric: String! = kSecAttrGeneric as String
private let SecAttrAccount: String = kSecAttrAccount as String
private let SecReturnAttributes: String = kSecReturnAttributes as String

open class SharedInstance {
    public static let defaultServiceName: String = Bundle.main.bundleIdentifier ?? "SharedInstance"
    private(set) public var serviceName: String

    public init(serviceName: String = SharedInstance.defaultServiceName) { self.serviceName = serviceName }

    open func hasValue(forKey key: String) -> Bool { data(forKey: key) != nil }

    open func integer(forKey key: String) -> Int? { string(forKey: key).flatMap(Int.init) }

    open func string(forKey key: String) -> String? {
        guard let data = data(forKey: key) else { return nil }
        return String(data: data, encoding: String.Encoding.utf8) as String?
    }

    open func data(forKey key: String) -> Data? {
        var query = setupQueryDictionary(forKey: key)
        query[SecMatchLimit] = kSecMatchLimitOne
        query[SecReturnData] = kCFBooleanTrue
        var result: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        return status == noErr ? result as? Data : nil
    }

    open func dataRef(forKey key: String) -> Data? {
        var query = setupQueryDictionary(forKey: key)
        query[SecMatchLimit] = kSecMatchLimitOne
        query[SecReturnPersistentRef] = kCFBooleanTrue
        var result: AnyObject?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        return status == noErr ? result as? Data : nil
    }

    open func allKeys() -> Set<String> {
        var query: [String: Any] = [
            SecClass: kSecClassGenericPassword,
            SecAttrService: serviceName,
            SecReturnAttributes: kCFBooleanTrue!,
            SecMatchLimit: kSecMatchLimitAll,
        ]
        query[kSecAttrAccessGroup as String] = nil
        var result: AnyObject?
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return [] }
        var keys = Set<String>()
        if let results = result as? [[AnyHashable: Any]] {
            for attributes in results {
                if let accountData = attributes[SecAttrAccount] as? Data,
                    let key = String(data: accountData, encoding: .utf8)
                {
                    keys.insert(key)
                } else if let key = attributes[SecAttrAccount] as? String {
                    keys.insert(key)
                }
            }
        }
        return keys
    }

    @discardableResult
    open func set(_ value: Data, forKey key: String) -> Bool {
        var query: [String: Any] = setupQueryDictionary(forKey: key)
        query[SecValueData] = value
        query[SecAttrAccessible] = kSecAttrAccessibleWhenUnlocked
        let status: OSStatus = SecItemAdd(query as CFDictionary, nil)
        if status == errSecSuccess {
            return true
        } else if status == errSecDuplicateItem {
            return update(value, forKey: key)
        } else {
            return false
        }
    }

    @discardableResult
    open func removeObject(forKey key: String) -> Bool {
        SecItemDelete(setupQueryDictionary(forKey: key) as CFDictionary) == errSecSuccess
    }

    private func update(_ value: Data, forKey key: String) -> Bool {
        let update = [SecValueData!: value]
        return SecItemUpdate(setupQueryDictionary(forKey: key) as CFDictionary, update as CFDictionary)
            == errSecSuccess
    }

    private func setupQueryDictionary(forKey key: String) -> [String: Any] {
        var query: [String: Any] = [SecClass: kSecClassGenericPassword]
        query[SecAttrService] = serviceName
        let encodedIdentifier: Data? = key.data(using: String.Encoding.utf8)
        query[SecAttrGeneric] = encodedIdentifier
        query[SecAttrAccount] = key
        return query
    }
}
