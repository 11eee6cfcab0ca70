// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainItems
public import KeychainServices
import KeychainWrapperSupport

/// The setters and getters of Lockbox 2, which store strings.
///
/// Each setter takes the key and one of the `kSecAttrAccessible…` constants, and returns whether the value was stored
/// or removed. If not, the old value is unchanged, and ``lastStatus`` is the reason: the keychain's status,
/// or `errSecDuplicateItem` if the item is the archive of another key with the same service; see
/// ``LockboxError/Reason/anotherKey``. `nil` and empty collections remove the value. If there is no value to remove,
/// the result is `false`, and ``lastStatus`` is `errSecItemNotFound`.
///
/// Each getter returns `nil` if the key has no value (``lastStatus`` is `errSecItemNotFound`), if the bytes
/// are not UTF-8 (`errSecDecode`), if the keychain call fails (its status), or if the string does not have
/// the requested format (`errSecSuccess`).
extension Lockbox {
    /// Stores a string as UTF-8.
    @available(*, deprecated, message: "Use archiveObject(_:forKey:)")
    @discardableResult
    public func setString(
        _ value: String?,
        forKey key: String,
        accessibility: CFTypeRef = kSecAttrAccessibleWhenUnlocked
    ) -> Bool {
        guard let value else { return removeObject(forKey: key) }
        return writeText(key, accessibility) { value }
    }

    /// Returns a stored string; `nil` if it is missing or cannot be read.
    @available(*, deprecated, message: "Use unarchiveObject(forKey:)")
    public func string(forKey key: String) -> String? { text(key) }

    /// Stores an array of strings, separated by `-|-`.
    ///
    /// An element that contains these characters is read as two. An element that is not a string is stored as
    /// its description. Collections nested more than 64 levels deep are rejected: the result is `false`, and
    /// ``lastStatus`` is `errSecParam`.
    @available(*, deprecated, message: "Use archiveObject(_:forKey:)")
    @discardableResult
    public func setArray(
        _ value: [Any]?,
        forKey key: String,
        accessibility: CFTypeRef = kSecAttrAccessibleWhenUnlocked
    ) -> Bool {
        let elements = value ?? []
        guard !elements.isEmpty else { return removeObject(forKey: key) }
        return writeText(key, accessibility) { () throws(LockboxError) in try LegacyText.text(of: elements) }
    }

    /// Returns a stored array of strings; `nil` if it is missing or cannot be read.
    ///
    /// An empty stored string is an array of one empty string.
    @available(*, deprecated, message: "Use unarchiveObject(forKey:)")
    public func array(forKey key: String) -> [String]? { text(key).map(LegacyText.array) }

    /// Stores a set of strings, separated by `-|-`, in no particular order.
    ///
    /// See `setArray` for the format.
    @available(*, deprecated, message: "Use archiveObject(_:forKey:)")
    @discardableResult
    public func setSet(
        _ value: Set<AnyHashable>?,
        forKey key: String,
        accessibility: CFTypeRef = kSecAttrAccessibleWhenUnlocked
    ) -> Bool {
        let elements = value.map { $0.map(\.base) } ?? []
        guard !elements.isEmpty else { return removeObject(forKey: key) }
        return writeText(key, accessibility) { () throws(LockboxError) in try LegacyText.text(of: elements) }
    }

    /// Returns a stored set of strings; `nil` if it is missing or cannot be read.
    @available(*, deprecated, message: "Use unarchiveObject(forKey:)")
    public func set(forKey key: String) -> Set<String>? { text(key).map { Set(LegacyText.array($0)) } }

    /// Stores a dictionary of strings: all keys, then all values, separated by `-|-`.
    ///
    /// See `setArray` for the format.
    @available(*, deprecated, message: "Use archiveObject(_:forKey:)")
    @discardableResult
    public func setDictionary(
        _ value: [AnyHashable: Any]?,
        forKey key: String,
        accessibility: CFTypeRef = kSecAttrAccessibleWhenUnlocked
    ) -> Bool {
        let pairs = value ?? [:]
        guard !pairs.isEmpty else { return removeObject(forKey: key) }
        return writeText(key, accessibility) { () throws(LockboxError) in try LegacyText.text(of: pairs) }
    }

    /// Returns a stored dictionary of strings; `nil` if it is missing or cannot be read, or if not every key has a
    /// value.
    @available(*, deprecated, message: "Use unarchiveObject(forKey:)")
    public func dictionary(forKey key: String) -> [String: String]? {
        text(key).flatMap(LegacyText.dictionary)
    }

    /// Stores a date exactly, as decimal seconds since 2001-01-01 00:00 UTC.
    ///
    /// An infinite date or NaN is rejected: the result is `false`, and ``lastStatus`` is `errSecParam`.
    @available(*, deprecated, message: "Use archiveObject(_:forKey:)")
    @discardableResult
    public func setDate(
        _ value: Date?,
        forKey key: String,
        accessibility: CFTypeRef = kSecAttrAccessibleWhenUnlocked
    ) -> Bool {
        guard let value else { return removeObject(forKey: key) }
        return writeText(key, accessibility) { () throws(LockboxError) in
            guard let text = LegacyText.text(of: value) else { throw .unsupportedValue }
            return text
        }
    }

    /// Returns a stored date.
    ///
    /// The stored string is a number of seconds since 2001 UTC. White space before it and characters after it are
    /// ignored. Without a number, the date is the start of 2001. The result is `nil` if the string is missing or cannot
    /// be read, or if the number is out of the range of `Double`.
    @available(*, deprecated, message: "Use unarchiveObject(forKey:)")
    public func date(forKey key: String) -> Date? { text(key).flatMap(LegacyText.date) }

    private func writeText(
        _ key: String,
        _ accessibility: CFTypeRef,
        _ text: () throws(LockboxError) -> String
    ) -> Bool {
        tracker.reports { () throws(LockboxError) in try write(Data(text().utf8), key, accessibility) }
    }

    private func text(_ key: String) -> String? {
        try? read(key) { data throws(LockboxError) in
            guard let text = String(validating: data, as: UTF8.self) else { throw .undecodableValue }
            return text
        }
    }
}
