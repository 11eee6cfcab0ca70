// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainWrapperSupport

/// What the original lacks: errors, all keys, and values of any `Codable` type.
extension FXKeychain {
    /// The value of a key, or why it cannot be read.
    ///
    /// - Parameter key: A text, or anything else, whose description is the key.
    /// - Returns: The value; `nil` if there certainly is none.
    /// - Throws: ``FXKeychainError``: the keychain is locked, or the value cannot be decoded.
    public func storedObject(forKey key: Any) throws(FXKeychainError) -> Any? {
        try tracker.tracking { () throws(FXKeychainError) in
            guard let secret = try items.secret(of: Self.account(key)) else { return nil }
            return try StoredValue(options: options).value(of: secret)
        }
    }

    /// The keys that have a value, in the service or in all of them.
    ///
    /// An item whose account is no text is not among them.
    ///
    /// - Returns: The keys, none if there are none.
    /// - Throws: ``FXKeychainError`` if the keychain cannot be searched.
    public func allKeys() throws(FXKeychainError) -> Set<String> {
        try tracker.tracking { () throws(FXKeychainError) in
            Set(try items.items(items.query()).compactMap(\.accountText))
        }
    }

    /// Removes every value of the service.
    ///
    /// - Throws: ``FXKeychainError``; a keychain without a service refuses, as every password of the program would go.
    public func removeAllObjects() throws(FXKeychainError) {
        try tracker.tracking { () throws(FXKeychainError) in
            guard items.service != nil else { throw .ambiguousKey }
            try items.remove(items.query())
        }
    }

    /// Stores a value of a `Codable` type as JSON text.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: A text, or anything else, whose description is the key.
    /// - Throws: ``FXKeychainError``; the old value is still there.
    public func store(_ value: some Encodable, forKey key: Any) throws(FXKeychainError) {
        try tracker.tracking { () throws(FXKeychainError) in
            guard let json = try? JSONEncoder().encode(value) else { throw .unsupportedValue }
            try write(json, forKey: key)
        }
    }

    /// The value of a `Codable` type that ``store(_:forKey:)`` has stored.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - key: A text, or anything else, whose description is the key.
    /// - Returns: The value; `nil` if there certainly is none.
    /// - Throws: ``FXKeychainError``: the keychain is locked, or what is stored is no value of the type.
    public func value<Value: Decodable>(
        _ type: Value.Type,
        forKey key: Any
    ) throws(FXKeychainError) -> Value? {
        try tracker.tracking { () throws(FXKeychainError) in
            guard let secret = try items.secret(of: Self.account(key)) else { return nil }
            guard let value = try? JSONDecoder().decode(type, from: secret) else { throw .undecodableValue }
            return value
        }
    }

    /// The value that FXKeychain 1.0 or 1.1 has stored under a key.
    ///
    /// Both filed every value under the account `default`, with the key as the item's `kSecAttrGeneric`; as that is no part
    /// of an item's identity, there can be one value in a service. 1.0 had the service `default`, 1.1 that of the program.
    /// To keep the value, store it under the key. Reading values that are no texts needs
    /// ``Options/acceptsKeyedArchives``.
    ///
    /// - Parameter key: A text, or anything else, whose description is the key.
    /// - Returns: The value; `nil` if there certainly is none.
    /// - Throws: ``FXKeychainError``: the keychain is locked, or the value cannot be decoded.
    public func earlierObject(forKey key: Any) throws(FXKeychainError) -> Any? {
        try tracker.tracking { () throws(FXKeychainError) in
            let name = try Self.account(key)
            for service in [items.service, "default"].compactMap({ $0 }) {
                let earlier = ServiceItems(service: service, accessGroup: items.accessGroup)
                var query = earlier.query("default")
                query.generic = Array(name.utf8)
                guard let secret = try earlier.secret(query) else { continue }
                return try StoredValue(options: options).value(of: secret)
            }
            return nil
        }
    }
}
