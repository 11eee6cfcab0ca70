// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A value that another library has stored.
public struct ForeignValue: Sendable {
    /// The name under which the library finds it.
    public let key: String
    /// The bytes as they are stored.
    public let stored: SecretBytes
    /// The item that holds it.
    public let item: GenericPassword
    let format: ForeignLayout.Format

    /// The value without the library's wrapping: the UTF-8 bytes of a string, or the bytes of data.
    ///
    /// It is `nil` for what is neither, such as an array, and for keyed archives, which only the library's own module reads.
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

    /// The string or the data in a binary property list; other bytes are a string already.
    private static func unwrapped(_ secret: SecretBytes) -> SecretBytes? {
        guard isPropertyList(secret) else { return secret }
        let decoder = PropertyListDecoder()
        if let string = try? decoder.decode(String.self, from: secret.data) { return SecretBytes(string) }
        if let data = try? decoder.decode(Data.self, from: secret.data) { return SecretBytes(data) }
        return nil
    }
}

extension Vault {
    /// Reads what another library has stored, in the order of the keys.
    ///
    /// It reads the items of the program's access groups, or of the vault's if it names one.
    ///
    /// - Parameter layout: How the library keeps its values.
    /// - Returns: The values, none if there are none. Items under names that are no UTF-8 are left out.
    /// - Throws: ``VaultError``; one value that cannot be read is a failure of the whole call.
    public func values(of layout: ForeignLayout) throws(VaultError) -> [ForeignValue] {
        var values: [ForeignValue] = []
        for found in try items(matching: layout.query, including: .secret) {
            guard let key = layout.key(of: found.item), let secret = found.secret else { continue }
            values.append(ForeignValue(key: key, stored: secret, item: found.item, format: layout.format))
        }
        return values.sorted { $0.key < $1.key }
    }

    /// Reads what another library has stored; see the form that blocks.
    public func values(of layout: ForeignLayout) async throws(VaultError) -> [ForeignValue] {
        try await offActor(.list) { vault throws(VaultError) in try vault.values(of: layout) }
    }
}
