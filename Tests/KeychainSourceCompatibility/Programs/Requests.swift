// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program has protocols with default implementations, and merges dictionaries of type `[String:
// AnyObject]`.

protocol Storable {
    var service: String { get }
    var account: String { get }
    var data: [String: Any] { get }
}

enum RequestFailure: Error { case notFound, other(OSStatus) }

private func + (lhs: [String: AnyObject], rhs: [String: AnyObject]) -> [String: AnyObject] {
    lhs.merging(rhs) { $1 }
}

extension Storable {
    private var base: [String: AnyObject] {
        [
            String(kSecClass): kSecClassGenericPassword,
            String(kSecAttrService): service as AnyObject,
            String(kSecAttrAccount): account as AnyObject,
        ]
    }

    func create() throws {
        let archived = try PropertyListSerialization.data(fromPropertyList: data, format: .binary, options: 0)
        let request = base + [String(kSecValueData): archived as AnyObject]
        let status = SecItemAdd(request as CFDictionary, nil)
        if status != errSecSuccess { throw RequestFailure.other(status) }
    }

    func read() throws -> [String: Any] {
        let request =
            base + [
                String(kSecReturnData): kCFBooleanTrue, String(kSecReturnAttributes): kCFBooleanTrue,
                String(kSecMatchLimit): kSecMatchLimitOne,
            ]
        var result: AnyObject?
        let status = SecItemCopyMatching(request as CFDictionary, &result)
        guard status == errSecSuccess, let dictionary = result as? NSDictionary,
            let archived = dictionary[String(kSecValueData)] as? Data
        else { throw status == errSecItemNotFound ? RequestFailure.notFound : RequestFailure.other(status) }
        let list = try PropertyListSerialization.propertyList(from: archived, options: [], format: nil)
        return list as? [String: Any] ?? [:]
    }

    func remove() throws {
        let status = SecItemDelete(base as CFDictionary)
        if status != errSecSuccess { throw RequestFailure.other(status) }
    }
}

struct Account: Storable {
    let service: String
    let account: String
    let data: [String: Any]
}
