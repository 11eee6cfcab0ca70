// SPDX-License-Identifier: Apache-2.0

import Foundation
public import KeychainServices
import KeychainWrapperSupport

/// What the original lacks: errors, classes of one's own, and values of any `Codable` type.
extension Lockbox {
    /// The value that was archived under a key, or why it cannot be read.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - classes: Classes of your own that it may be of or hold, and which support secure coding. What such a class is
    ///     given has been checked, but for the values themselves. Foundation's classes for texts, data, numbers, dates,
    ///     URLs, UUIDs, `NSNull`, arrays, sets and dictionaries are allowed anyway.
    /// - Returns: The value; `nil` if there certainly is none, or `nil` was archived.
    /// - Throws: ``LockboxError``: the keychain is locked, or what is stored is no such archive.
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

    /// Archives a value of a `Codable` type as data that hold its JSON, as Strongbox does.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key.
    ///   - accessibility: One of the constants `kSecAttrAccessible…`.
    /// - Throws: ``LockboxError``; the old value is still there.
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

    /// The value of a `Codable` type that was archived under a key.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - key: The key.
    /// - Returns: The value; `nil` if there certainly is none.
    /// - Throws: ``LockboxError``: the keychain is locked, or what is stored is no value of the type.
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
