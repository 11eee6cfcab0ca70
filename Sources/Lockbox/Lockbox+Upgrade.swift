// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainWrapperSupport

extension Lockbox {
    /// What a text of Lockbox 2 stands for, which the text itself does not tell.
    public enum LegacyKind: Sendable, Hashable, CaseIterable {
        /// Text, as `setString` stores it.
        case string
        /// Texts, as `setArray` stores them.
        case array
        /// A set of texts, as `setSet` stores it.
        case set
        /// Texts by texts, as `setDictionary` stores them.
        case dictionary
        /// A date, as `setDate` stores it.
        case date

        /// `nil` where the archive would have less than the text.
        func value(of text: String) -> Any? {
            switch self {
            case .string: text
            case .array: LegacyText.array(text)
            case .set: Set(LegacyText.array(text))
            case .dictionary: LegacyText.wholeDictionary(text)
            case .date: LegacyText.wholeDate(text)
            }
        }
    }

    /// Archives what Lockbox 2 has stored as text.
    ///
    /// All values are read before the first is written, and each is replaced in place, with its accessibility. Whatever
    /// happens, a key has its old value or the new one, and the call can be repeated: archives are left as they are. A value
    /// that somebody writes meanwhile is not overwritten by the older one, but archived in its place.
    ///
    /// - Parameter keys: What the texts of the keys stand for; keys that have nothing are passed over.
    /// - Returns: The keys whose values were archived.
    /// - Throws: ``LockboxError``: the keychain refuses, or a value is no text of its kind. The getters take what they can of
    ///   such a text; here the rest of it would be lost.
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

    /// What was read of a key, and its archive.
    private struct Upgrade {
        let key: String
        let kind: LegacyKind
        let reading: LockboxItem.Reading
        let archive: Data
    }

    /// `nil` if the key has nothing, or an archive.
    private func upgrade(_ key: String, as kind: LegacyKind) throws(LockboxError) -> Upgrade? {
        guard let reading = try item(key).reading(),
            let archive = try archive(of: reading.secret, as: kind, key)
        else { return nil }
        return Upgrade(key: key, kind: kind, reading: reading, archive: archive)
    }

    /// Replaces what was read, and reads again if it is no longer there.
    ///
    /// - Returns: Whether a text was archived; otherwise somebody has removed or archived it.
    private func replace(_ first: Upgrade) throws(LockboxError) -> Bool {
        var next: Upgrade? = first
        for _ in 0..<LockboxItem.attempts {
            guard let current = next else { return false }
            if try item(current.key).replace(current.reading, by: current.archive) { return true }
            next = try upgrade(current.key, as: current.kind)
        }
        throw LockboxError(status: errSecDuplicateItem)
    }

    /// The archive of a text; `nil` if it is one already.
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
