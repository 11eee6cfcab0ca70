// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import KeychainServices

/// An error of a wrapper that a status of the keychain can become.
package protocol KeychainStatusError: Error {
    var status: OSStatus { get }
    init(status: OSStatus)
}

/// The calls of the wrappers about generic passwords, whose statuses become errors.
///
/// A query is a dictionary without the class.
package enum PasswordCalls<Failure: KeychainStatusError> {
    package typealias Attributes = [CFString: Any]

    /// How often a write may meet somebody else's.
    package static var attempts: Int { 8 }

    private static func dictionary(_ attributes: Attributes, _ more: Attributes = [:]) -> CFDictionary {
        var dictionary = attributes.merging(more) { $1 }
        dictionary[kSecClass] = kSecClassGenericPassword
        #if canImport(Darwin)
        // The other keychain of macOS has neither protection classes nor access groups, and removes one item at a time.
        dictionary[kSecUseDataProtectionKeychain] = true
        #endif
        return dictionary as CFDictionary
    }

    private static func check(_ status: OSStatus) throws(Failure) {
        guard status == errSecSuccess else { throw Failure(status: status) }
    }

    /// What a query finds; `nil` if that is nothing.
    package static func find(_ query: Attributes) throws(Failure) -> Any? {
        var result: CFTypeRef?
        let status = unsafe SecItemCopyMatching(dictionary(query), &result)
        if status == errSecItemNotFound { return nil }
        try check(status)
        return result
    }

    /// The secret of the item that a query finds; `nil` if there is no item.
    package static func secret(_ query: Attributes) throws(Failure) -> Data? {
        try dated(query)?.secret
    }

    /// The secret of the item that a query finds, and when the item was last changed; `nil` if there is no item.
    package static func dated(_ query: Attributes) throws(Failure) -> (secret: Data, changed: Date?)? {
        let returned: Attributes = [kSecReturnAttributes: true, kSecReturnData: true]
        guard let found = try find(query.merging(returned) { $1 }) as? [String: Any] else { return nil }
        // An item that was added without a secret has no data, and stands for an empty one.
        let secret = found[kSecValueData as String] as? Data ?? Data()
        return (secret, found[kSecAttrModificationDate as String] as? Date)
    }

    /// Changes every item that a query finds.
    ///
    /// - Returns: Whether there is one.
    package static func change(_ query: Attributes, to values: Attributes) throws(Failure) -> Bool {
        let status = SecItemUpdate(dictionary(query), values as CFDictionary)
        if status == errSecItemNotFound { return false }
        try check(status)
        return true
    }

    /// Adds an item.
    ///
    /// - Returns: Whether it was added; otherwise there is one already.
    package static func add(_ item: Attributes) throws(Failure) -> Bool {
        let status = SecItemAdd(dictionary(item), nil)
        if status == errSecDuplicateItem { return false }
        try check(status)
        return true
    }

    /// Changes every item that a query finds, or else adds one.
    ///
    /// Nothing is removed on the way, so that a failure leaves what was there. Between the two calls somebody else may add
    /// the item, or remove it.
    package static func write(
        _ values: Attributes,
        over query: Attributes,
        orAddTo item: Attributes
    ) throws(Failure) {
        for _ in 0..<attempts {
            if try change(query, to: values) { return }
            if try add(item.merging(values) { $1 }) { return }
        }
        throw Failure(status: errSecDuplicateItem)
    }

    /// Removes every item that a query finds.
    ///
    /// - Returns: Whether there was one.
    package static func remove(_ query: Attributes) throws(Failure) -> Bool {
        let status = SecItemDelete(dictionary(query))
        if status == errSecItemNotFound { return false }
        try check(status)
        return true
    }
}
