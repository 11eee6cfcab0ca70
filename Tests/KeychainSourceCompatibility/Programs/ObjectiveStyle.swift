// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program is translated from Objective-C: mutable dictionaries whose objects are set one by
// one, allocated pointers, and results of type `id`, that is, `AnyObject`.

let classKey = NSString(format: kSecClass)
let genericPasswordValue = NSString(format: kSecClassGenericPassword)
let accountKey = NSString(format: kSecAttrAccount)
let dataKey = NSString(format: kSecValueData)

class ObjectiveStyle: NSObject {
    private let identifier: NSString

    init(identifier: String) {
        self.identifier = identifier as NSString
        super.init()
    }

    private func search() -> NSMutableDictionary {
        let dictionary = NSMutableDictionary()
        dictionary.setObject(kSecClassGenericPassword, forKey: kSecClass)
        let encoded = identifier.data(using: String.Encoding.utf8.rawValue)!
        dictionary.setObject(encoded, forKey: kSecAttrGeneric)
        dictionary.setObject(identifier, forKey: kSecAttrAccount)
        dictionary[kSecAttrService] = "ObjectiveStyle"
        return dictionary
    }

    func save(_ value: NSData) -> Bool {
        let dictionary = search()
        dictionary.setObject(value, forKey: kSecValueData as NSString)
        dictionary[String(kSecAttrAccessible)] = kSecAttrAccessibleWhenUnlocked
        var status = SecItemAdd(dictionary as CFDictionary, nil)
        if status == errSecDuplicateItem {
            let changes = NSMutableDictionary(object: value, forKey: kSecValueData)
            status = SecItemUpdate(search(), changes)
        }
        return status == errSecSuccess
    }

    func load() -> NSData? {
        let dictionary = search()
        dictionary.setValue(kSecMatchLimitOne, forKey: kSecMatchLimit as String)
        dictionary.setObject(kCFBooleanTrue!, forKey: kSecReturnData)
        let pointer = UnsafeMutablePointer<AnyObject?>.allocate(capacity: 1)
        pointer.initialize(to: nil)
        defer {
            pointer.deinitialize(count: 1)
            pointer.deallocate()
        }
        guard SecItemCopyMatching(dictionary, pointer) == errSecSuccess else { return nil }
        return pointer.pointee as? NSData
    }

    func loadLiteral() -> String? {
        var result: CFTypeRef? = nil
        let status = SecItemCopyMatching(
            [
                kSecClass: kSecClassGenericPassword,
                kSecAttrService: "ObjectiveStyle",
                kSecAttrAccount: identifier,
                kSecReturnData: true,
                kSecReturnAttributes: true,
            ] as NSDictionary,
            &result
        )
        guard status == noErr, let dictionary = result as? NSDictionary else { return nil }
        let data = dictionary.object(forKey: kSecValueData) as! Data
        return NSString(data: data, encoding: String.Encoding.utf8.rawValue) as String?
    }

    /// Stores an item; the class and the keys are `NSString(format:)` copies of the constants.
    static func saveByFormat(_ data: Data, account: String) -> OSStatus {
        let query = NSMutableDictionary(
            objects: [genericPasswordValue, account, data],
            forKeys: [classKey, accountKey, dataKey]
        )
        SecItemDelete(query as CFDictionary)
        return SecItemAdd(query as CFDictionary, nil)
    }

    /// Loads an item; the keys are constants cast to `NSCopying`.
    static func loadByCopiedKeys(account: NSString) -> Data? {
        let query = NSMutableDictionary()
        query.setObject(kSecClassGenericPassword, forKey: kSecClass as NSCopying)
        query.setObject(account, forKey: kSecAttrAccount as NSCopying)
        query.setObject(true, forKey: kSecReturnData as NSCopying)
        var item: AnyObject?
        guard SecItemCopyMatching(query, &item) == errSecSuccess else { return nil }
        return item as? Data
    }

    func erase() { SecItemDelete(search()) }
}
