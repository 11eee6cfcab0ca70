// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainWrapperSupport

/// Additions to the original FXKeychain library: errors, all keys, and `Codable` values.
extension FXKeychain {
    /// Returns the value of a key, or throws an error.
    ///
    /// - Parameter key: A string, or any other value, whose description is the key.
    /// - Returns: The value; `nil` if it does not exist.
    /// - Throws: ``FXKeychainError`` if the keychain call fails, for example because the keychain is locked, if the
    ///   value cannot be decoded, or if the key is a collection that is too deep or too large.
    public func storedObject(forKey key: Any) throws(FXKeychainError) -> Any? {
        try tracker.tracking { () throws(FXKeychainError) in
            guard let secret = try items.secret(of: Self.account(key)) else { return nil }
            return try StoredValue(options: options).value(of: secret)
        }
    }

    /// Returns the keys in the service; in all services if ``service`` is `nil` or empty.
    ///
    /// Items whose account was stored as bytes are omitted.
    ///
    /// - Returns: The keys; empty if there are none.
    /// - Throws: ``FXKeychainError`` if the keychain cannot be searched.
    public func allKeys() throws(FXKeychainError) -> Set<String> {
        try tracker.tracking { () throws(FXKeychainError) in
            Set(try items.items(items.query()).compactMap(\.accountText))
        }
    }

    /// Removes every value of the service.
    ///
    /// - Throws: ``FXKeychainError``. If ``service`` is `nil` or empty, this always fails, because it would remove
    ///   every generic password of the program.
    public func removeAllObjects() throws(FXKeychainError) {
        try tracker.tracking { () throws(FXKeychainError) in
            guard items.service != nil else { throw .everyService }
            try items.remove(items.query())
        }
    }

    /// Stores a `Codable` value as JSON.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: A string, or any other value, whose description is the key.
    /// - Throws: ``FXKeychainError``, for example if the value cannot be encoded or the keychain is locked; the old
    ///   value is then unchanged.
    public func store(_ value: some Encodable, forKey key: Any) throws(FXKeychainError) {
        try tracker.tracking { () throws(FXKeychainError) in
            guard let json = try? JSONEncoder().encode(value) else { throw .unsupportedValue }
            try write(json, forKey: key)
        }
    }

    /// Returns a `Codable` value stored by ``store(_:forKey:)``.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - key: A string, or any other value, whose description is the key.
    /// - Returns: The value; `nil` if it does not exist.
    /// - Throws: ``FXKeychainError`` if the keychain call fails, for example because the keychain is locked, if the
    ///   bytes are not a value of the type, or if the key is a collection that is too deep or too large.
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

    /// Returns the value that FXKeychain 1.0 or 1.1 stored.
    ///
    /// Both versions stored every value under the account `default`, with the key in `kSecAttrGeneric`. Generic
    /// passwords are identified by service and account, not by `kSecAttrGeneric`, so these versions could store
    /// only one value for each service. The call searches this keychain's service, if it has one, which version
    /// 1.1 used, and then `default`, the service of version 1.0.
    ///
    /// To migrate the value, store the result under the same key. Reading values other than strings requires
    /// ``Options/acceptsKeyedArchives``.
    ///
    /// - Parameter key: A string, or any other value, whose description is the key.
    /// - Returns: The value; `nil` if it does not exist.
    /// - Throws: ``FXKeychainError`` if the keychain call fails, for example because the keychain is locked, if the
    ///   value cannot be decoded, or if the key is a collection that is too deep or too large.
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
