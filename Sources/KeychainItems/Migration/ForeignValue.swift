// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A value that another library has stored.
public struct ForeignValue: Sendable {
    /// The key that the library uses for the value.
    public let key: String
    /// The bytes as they are stored.
    public let stored: SecretBytes
    /// The item that contains the value.
    public let item: GenericPassword
    let format: ForeignLayout.Format

    /// The value without the library's encoding.
    ///
    /// This is the UTF-8 encoding of a string, or the bytes of data. For the layouts of FXKeychain and
    /// Lockbox, it is `nil` for other types, such as arrays, and for keyed archives, which only the modules
    /// `FXKeychain` and `Lockbox` decode. For any other layout, it is ``stored``.
    public var secret: SecretBytes? {
        switch format {
        case .bytes: stored
        case .propertyList: Self.unwrapped(stored)
        case .archive: Self.isPropertyList(stored) ? nil : stored
        }
    }

    private static let mark = Array("bplist".utf8)

    private static func isPropertyList(_ secret: SecretBytes) -> Bool {
        unsafe secret.withUnsafeBytes { unsafe $0.starts(with: mark) }
    }

    /// Returns the string or data in a binary property list; `nil` if it contains another type.
    ///
    /// Bytes that are not a property list are returned unchanged.
    private static func unwrapped(_ secret: SecretBytes) -> SecretBytes? {
        guard isPropertyList(secret) else { return secret }
        let decoder = PropertyListDecoder()
        if let string = try? decoder.decode(String.self, from: secret.data) { return SecretBytes(string) }
        if let data = try? decoder.decode(Data.self, from: secret.data) { return SecretBytes(data) }
        return nil
    }
}

extension Vault {
    /// Reads the values that another library has stored.
    ///
    /// Reads the items of the vault's access group, or of all of the program's groups if the vault names
    /// none.
    ///
    /// - Parameter layout: How the library stores its values.
    /// - Returns: The values, sorted by key. Omitted are items without a secret, the library's internal items, and
    ///   items whose name is not valid UTF-8, lacks the layout's prefix, or contains no key after the prefix.
    /// - Throws: ``VaultError``. If one value cannot be read, the whole call fails.
    public func values(of layout: ForeignLayout) throws(VaultError) -> [ForeignValue] {
        var values: [ForeignValue] = []
        for found in try items(matching: layout.query, including: .secret) {
            guard let key = layout.key(of: found.item), let secret = found.secret else { continue }
            values.append(ForeignValue(key: key, stored: secret, item: found.item, format: layout.format))
        }
        return values.sorted { $0.key < $1.key }
    }

    /// Reads the values that another library has stored, without blocking the actor.
    public func values(of layout: ForeignLayout) async throws(VaultError) -> [ForeignValue] {
        try await offActor(.list) { vault throws(VaultError) in try vault.values(of: layout) }
    }
}
