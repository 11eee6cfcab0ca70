// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import KeychainServices
import KeychainWrapperSupport

/// The setters and getters of Lockbox 2, which store text.
///
/// Each setter takes the key, and one of the constants `kSecAttrAccessible…`, and says whether the value was stored or
/// removed. If not, the old value is still there, and ``lastStatus`` says why: the keychain's status, or
/// `errSecDuplicateItem` where the archive of another key stands in the place. `nil` removes, and so does an empty
/// collection; where there is nothing to remove the answer is `false`, and the status `errSecItemNotFound`.
///
/// Each getter answers `nil` where there is nothing (``lastStatus`` is `errSecItemNotFound`), where what is stored is no
/// UTF-8 (`errSecDecode`), where the keychain refuses (its status), and for a text that has not the form asked for
/// (`errSecSuccess`).
extension Lockbox {
    /// Stores a text as its UTF-8.
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

    /// The text of a key; `nil` if there is none, or what is stored is no UTF-8.
    @available(*, deprecated, message: "Use unarchiveObject(forKey:)")
    public func string(forKey key: String) -> String? { text(key) }

    /// Stores texts with `-|-` between them; an element that has these characters comes back as two.
    ///
    /// An element that is not a string is stored as its description. Collections nested more than 64 levels deep are
    /// refused: the result is `false`, and ``lastStatus`` is `errSecParam`.
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

    /// The texts of a key; what is empty is one empty text.
    @available(*, deprecated, message: "Use unarchiveObject(forKey:)")
    public func array(forKey key: String) -> [String]? { text(key).map(LegacyText.array) }

    /// Stores texts with `-|-` between them, in no certain order; see the same of arrays.
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

    /// The set of the texts of a key.
    @available(*, deprecated, message: "Use unarchiveObject(forKey:)")
    public func set(forKey key: String) -> Set<String>? { text(key).map { Set(LegacyText.array($0)) } }

    /// Stores all keys, then all values, with `-|-` between them; see the same of arrays.
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

    /// The dictionary of a key, its values as texts; an odd number of parts has not the form.
    @available(*, deprecated, message: "Use unarchiveObject(forKey:)")
    public func dictionary(forKey key: String) -> [String: String]? {
        text(key).flatMap(LegacyText.dictionary)
    }

    /// Stores a date as the decimal text of its seconds since the beginning of 2001 UTC, to the last digit.
    ///
    /// One that is infinite or no number is not stored: `false`, and ``lastStatus`` is `errSecParam`.
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

    /// The date of a key: blanks before the number and whatever is behind it do not matter, and no number is 0.
    ///
    /// A number that no `Double` holds has not the form.
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
