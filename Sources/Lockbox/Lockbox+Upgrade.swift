// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainServices
import KeychainWrapperSupport

extension Lockbox {
    /// The type of a Lockbox 2 value, which the stored string does not specify.
    public enum LegacyKind: Sendable, Hashable, CaseIterable {
        /// A string, as `setString` stores it.
        case string
        /// An array of strings, as `setArray` stores it.
        case array
        /// A set of strings, as `setSet` stores it.
        case set
        /// A dictionary of strings, as `setDictionary` stores it.
        case dictionary
        /// A date, as `setDate` stores it.
        case date

        /// Converts a stored string to this type.
        ///
        /// The result is `nil` if the string does not have the exact format of a dictionary or a date, or if a set
        /// would lose one of two different strings, because they are canonically equivalent.
        func value(of text: String) -> Any? {
            switch self {
            case .string: text
            case .array: LegacyText.array(text)
            case .set: LegacyText.wholeSet(text)
            case .dictionary: LegacyText.wholeDictionary(text)
            case .date: LegacyText.wholeDate(text)
            }
        }
    }

    /// Converts values of Lockbox 2 to archives.
    ///
    /// Reads all values before writing the first, and replaces each value in place, keeping its accessibility. A
    /// value in a third-party item, which has an account, is kept; its archive becomes a new item with the
    /// accessibility `kSecAttrAccessibleWhenUnlocked`. If an upgrade fails, each key has its old or its new value, and
    /// the call can be repeated: values that are already archives are skipped. If another writer changes a value
    /// meanwhile, the changed value is archived.
    ///
    /// - Parameter keys: The types of the values by key; keys without a value are skipped.
    /// - Returns: The keys whose values were archived.
    /// - Throws: ``LockboxError`` if a keychain call fails, if a value is the archive of another key, if it does not
    ///   have the format of its type, or if other writers change it during every attempt. The getters ignore the
    ///   part of a value that does not have the format; an upgrade would lose it.
    @discardableResult
    public func upgradeToArchive(_ keys: [String: LegacyKind]) throws(LockboxError) -> Set<String> {
        try tracker.tracking { () throws(LockboxError) in
            var upgrades: [Upgrade] = []
            for (key, kind) in keys {
                if let upgrade = try upgrade(key, as: kind) { upgrades.append(upgrade) }
            }
            var archived: Set<String> = []
            for upgrade in upgrades where try replace(upgrade) { archived.insert(upgrade.key) }
            return archived
        }
    }

    /// A value to upgrade: its key and type, the stored string and the archive that replaces it.
    private struct Upgrade {
        let key: String
        let kind: LegacyKind
        let reading: LockboxItem.Reading
        let archive: Data
    }

    /// Reads a value to upgrade; `nil` if it is missing or already archived.
    private func upgrade(_ key: String, as kind: LegacyKind) throws(LockboxError) -> Upgrade? {
        guard let reading = try item(key).reading(),
            let archive = try archive(of: reading.secret, as: kind, key)
        else { return nil }
        return Upgrade(key: key, kind: kind, reading: reading, archive: archive)
    }

    /// Replaces a value with its archive; after a concurrent change, reads the value again and retries.
    ///
    /// - Returns: Whether this call archived the value; `false` if another writer removed or archived it.
    private func replace(_ first: Upgrade) throws(LockboxError) -> Bool {
        var next: Upgrade? = first
        for _ in 0..<LockboxItem.attempts {
            guard let current = next else { return false }
            if try item(current.key).replace(current.reading, by: current.archive) { return true }
            next = try upgrade(current.key, as: current.kind)
        }
        throw LockboxError(VaultError(.conflict, .migrate, status: errSecDuplicateItem))
    }

    /// Returns the archive of a stored string; `nil` if the bytes are already an archive of the key.
    ///
    /// - Throws: `anotherKey` if the bytes are an archive of another key; `undecodableValue` if they do not have the
    ///   format of the type.
    private func archive(of data: Data, as kind: LegacyKind, _ key: String) throws(LockboxError) -> Data? {
        if let archive = try? KeyedArchive(data) {
            guard archive.keys.contains(key) else { throw .anotherKey }
            return nil
        }
        guard let text = String(validating: data, as: UTF8.self), let value = kind.value(of: text),
            let archive = try? KeyedArchive.data(archiving: value, forKey: key)
        else { throw .undecodableValue }
        return archive
    }
}
