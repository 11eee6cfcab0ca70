// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
public import KeychainServices
import KeychainWrapperSupport

/// Additions to the original Lockbox library: errors, custom classes and `Codable` values.
extension Lockbox {
    /// Returns the archived value of a key, or throws an error.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - classes: Custom classes that the value may contain; those without secure coding are ignored. The reader
    ///     checks the structure and the classes of the members, but not their values. Foundation's classes for strings,
    ///     data, numbers, dates, URLs, UUIDs, `NSNull`, arrays, sets, ordered sets and dictionaries are always allowed.
    /// - Returns: The value; `nil` if it does not exist or is an archived `nil`.
    /// - Throws: ``LockboxError`` if the keychain call fails, for example because the keychain is locked, or if the
    ///   stored bytes are not an archive of this key with only allowed classes.
    public func unarchivedObject(
        forKey key: String,
        ofClasses classes: [AnyClass] = []
    ) throws(LockboxError) -> Any? {
        try read(key) { data throws(LockboxError) in
            do throws(KeyedArchiveError) {
                return try KeyedArchive(data).object(forKey: key, classes: classes)
            } catch {
                throw error == .missingRoot ? .anotherKey : .undecodableValue
            }
        }
    }

    /// Archives a `Codable` value as JSON data, like the library Strongbox.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key.
    ///   - accessibility: One of the `kSecAttrAccessible…` constants.
    /// - Throws: ``LockboxError``; the old value is unchanged.
    public func archive(
        _ value: some Encodable,
        forKey key: String,
        accessibility: CFTypeRef = kSecAttrAccessibleWhenUnlocked
    ) throws(LockboxError) {
        try tracker.tracking { () throws(LockboxError) in
            guard let json = try? JSONEncoder().encode(value) else { throw .unsupportedValue }
            try archive(json, key, accessibility)
        }
    }

    /// Returns an archived `Codable` value.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - key: The key.
    /// - Returns: The value; `nil` if it does not exist.
    /// - Throws: ``LockboxError`` if the keychain call fails, for example because the keychain is locked, or if the
    ///   bytes are not a value of the type.
    public func unarchive<Value: Decodable>(
        _ type: Value.Type = Value.self,
        forKey key: String
    ) throws(LockboxError) -> Value? {
        guard let object = try unarchivedObject(forKey: key) else { return nil }
        return try tracker.tracking { () throws(LockboxError) in
            guard let json = object as? Data, let value = try? JSONDecoder().decode(type, from: json) else {
                throw .undecodableValue
            }
            return value
        }
    }
}
