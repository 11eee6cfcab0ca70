// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import KeychainServices

/// Class methods, which use a shared lockbox with the program's prefix.
extension Lockbox {
    /// Archives a value; see the instance method.
    @discardableResult
    public class func archiveObject(
        _ object: Any?,
        forKey key: String,
        accessibility: CFTypeRef = kSecAttrAccessibleWhenUnlocked
    ) -> Bool {
        shared.archiveObject(object, forKey: key, accessibility: accessibility)
    }

    /// Returns an archived value; see the instance method.
    public class func unarchiveObject(forKey key: String) -> Any? { shared.unarchiveObject(forKey: key) }

    /// Removes the value of a key; see the instance method.
    @discardableResult
    public class func removeObject(forKey key: String) -> Bool { shared.removeObject(forKey: key) }

    /// Stores a string; see the instance method.
    @available(*, deprecated, message: "Use archiveObject(_:forKey:)")
    @discardableResult
    public class func setString(
        _ value: String?,
        forKey key: String,
        accessibility: CFTypeRef = kSecAttrAccessibleWhenUnlocked
    ) -> Bool {
        shared.setString(value, forKey: key, accessibility: accessibility)
    }

    /// Reads a stored string; see the instance method.
    @available(*, deprecated, message: "Use unarchiveObject(forKey:)")
    public class func string(forKey key: String) -> String? { shared.string(forKey: key) }

    /// Stores an array of strings; see the instance method.
    @available(*, deprecated, message: "Use archiveObject(_:forKey:)")
    @discardableResult
    public class func setArray(
        _ value: [Any]?,
        forKey key: String,
        accessibility: CFTypeRef = kSecAttrAccessibleWhenUnlocked
    ) -> Bool {
        shared.setArray(value, forKey: key, accessibility: accessibility)
    }

    /// Reads a stored array of strings; see the instance method.
    @available(*, deprecated, message: "Use unarchiveObject(forKey:)")
    public class func array(forKey key: String) -> [String]? { shared.array(forKey: key) }

    /// Stores a set of strings; see the instance method.
    @available(*, deprecated, message: "Use archiveObject(_:forKey:)")
    @discardableResult
    public class func setSet(
        _ value: Set<AnyHashable>?,
        forKey key: String,
        accessibility: CFTypeRef = kSecAttrAccessibleWhenUnlocked
    ) -> Bool {
        shared.setSet(value, forKey: key, accessibility: accessibility)
    }

    /// Reads a stored set of strings; see the instance method.
    @available(*, deprecated, message: "Use unarchiveObject(forKey:)")
    public class func set(forKey key: String) -> Set<String>? { shared.set(forKey: key) }

    /// Stores a dictionary of strings; see the instance method.
    @available(*, deprecated, message: "Use archiveObject(_:forKey:)")
    @discardableResult
    public class func setDictionary(
        _ value: [AnyHashable: Any]?,
        forKey key: String,
        accessibility: CFTypeRef = kSecAttrAccessibleWhenUnlocked
    ) -> Bool {
        shared.setDictionary(value, forKey: key, accessibility: accessibility)
    }

    /// Reads a stored dictionary of strings; see the instance method.
    @available(*, deprecated, message: "Use unarchiveObject(forKey:)")
    public class func dictionary(forKey key: String) -> [String: String]? { shared.dictionary(forKey: key) }

    /// Stores a date; see the instance method.
    @available(*, deprecated, message: "Use archiveObject(_:forKey:)")
    @discardableResult
    public class func setDate(
        _ value: Date?,
        forKey key: String,
        accessibility: CFTypeRef = kSecAttrAccessibleWhenUnlocked
    ) -> Bool {
        shared.setDate(value, forKey: key, accessibility: accessibility)
    }

    /// Reads a stored date; see the instance method.
    @available(*, deprecated, message: "Use unarchiveObject(forKey:)")
    public class func date(forKey key: String) -> Date? { shared.date(forKey: key) }
}
