// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainWrapperSupport

/// Encodes and decodes values in the format of FXKeychain 1.5.
///
/// A string is stored as UTF-8, which other libraries can read too. Any other value is stored as a binary
/// property list. So is a string that starts with the magic bytes of a binary property list, because its
/// UTF-8 bytes would be decoded as a property list.
struct StoredValue {
    let options: FXKeychain.Options

    func data(for value: Any) throws(FXKeychainError) -> Data {
        if case .string(let text) = PropertyList(scalar: value), !PropertyList.hasMagic(text.utf8) {
            return Data(text.utf8)
        }
        let stripsNull = !options.acceptsKeyedArchives
        if let list = try? PropertyList(foundation: value, strippingNull: stripsNull) {
            let data = list.binary
            // Rejects a value that the reader would reject, for example because it is too large.
            guard (try? PropertyList(binary: data)) != nil else { throw .unsupportedValue }
            return data
        }
        guard options.acceptsKeyedArchives,
            let data = try? KeyedArchive.data(archiving: value, forKey: KeyedArchive.rootKey),
            (try? object(archivedIn: PropertyList(binary: data))) != nil
        else { throw .unsupportedValue }
        return data
    }

    func value(of data: Data) throws(FXKeychainError) -> Any {
        if PropertyList.hasMagic(data), let value = try list(data) { return value }
        guard let text = String(validating: data, as: UTF8.self) else { throw .undecodableValue }
        return text
    }

    /// Decodes a property list, or a keyed archive if the options accept archives.
    ///
    /// The result is `nil` if the bytes are not a valid property list.
    ///
    /// - Throws: `undecodableValue` if the property list exceeds a limit, or if the options do not accept the archive.
    private func list(_ data: Data) throws(FXKeychainError) -> Any? {
        do throws(KeyedArchiveError) {
            let list: PropertyList
            do throws(KeyedArchiveError) {
                list = try PropertyList(binary: data)
            } catch .malformed {
                return nil
            }
            guard KeyedArchive.isArchive(list) else { return try list.foundationValue() }
            guard options.acceptsKeyedArchives, let object = try object(archivedIn: list) else {
                throw .notAnArchive
            }
            return object
        } catch {
            throw .undecodableValue
        }
    }

    private func object(archivedIn list: PropertyList) throws(KeyedArchiveError) -> Any? {
        try KeyedArchive(list).object(
            forKey: KeyedArchive.rootKey,
            allowing: options.allowedClasses,
            classes: options.secureClasses
        )
    }
}
