// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Operations on the first or on all matches, for the wrapper libraries.
extension Vault {
    /// Returns the value of the first matching item; `nil` if no item matches.
    ///
    /// - Returns: The value, as ``SecretBytes/data`` returns it; an inner `nil` for an item without a value.
    package func firstValue(matching query: ItemQuery<GenericPassword>) throws(VaultError) -> Data?? {
        let request = CopyRequest(filter: scoped(query.filter), limit: .one, returning: .data)
        guard let found = try find(request, .read).first else { return nil }
        return .some(found.secret.map { SecretBytes($0).data })
    }

    /// Returns the first matching item and its value; `nil` if no item matches.
    package func first(
        matching query: ItemQuery<GenericPassword>
    ) throws(VaultError) -> (item: GenericPassword, value: Data?)? {
        let request = CopyRequest(
            filter: scoped(query.filter),
            limit: .one,
            returning: [.attributes, .data]
        )
        return try find(request, .read).first.map {
            (GenericPassword(content: ItemContent($0)), $0.secret.map { SecretBytes($0).data })
        }
    }

    package func reference(
        matching query: ItemQuery<GenericPassword>
    ) throws(VaultError) -> ItemReference? {
        let request = CopyRequest(
            filter: scoped(query.filter),
            limit: .one,
            returning: .persistentReference
        )
        return try find(request, .read).first.map { ItemReference($0.reference) }
    }

    package func hasItem(matching query: ItemQuery<GenericPassword>) throws(VaultError) -> Bool {
        try !find(CopyRequest(filter: scoped(query.filter), limit: .one), .read).isEmpty
    }

    /// Changes the value of all matching items; returns whether any item matched.
    ///
    /// Also changes the accessibility of these items and removes their access controls, unless the given
    /// accessibility is `nil`.
    package func changeAll(
        matching query: ItemQuery<GenericPassword>,
        to value: Data,
        _ accessibility: ItemAccessibility? = nil
    ) throws(VaultError) -> Bool {
        try change(.update(update(query, value, accessibility)), .set)
    }

    /// Changes all matching items, or adds an item if none matches, in one transaction.
    ///
    /// Changes the value and the accessibility of matching items, and removes their access controls; if the
    /// accessibility is `nil`, changes only the value.
    package func setAll(
        matching query: ItemQuery<GenericPassword>,
        to value: Data,
        _ accessibility: ItemAccessibility? = nil,
        orAdd item: GenericPassword
    ) throws(VaultError) {
        let request = SetRequest(
            update: update(query, value, accessibility),
            item: newItem(item, SecretBytes(value).buffer)
        )
        try change(.set(request), .set)
    }

    /// Adds an item; returns false if it already exists.
    package func addIfAbsent(_ item: GenericPassword, _ value: Data) throws(VaultError) -> Bool {
        do throws(VaultError) {
            try add(item, SecretBytes(value).buffer)
            return true
        } catch {
            guard error.reason == .duplicate else { throw error }
            return false
        }
    }

    private func update(
        _ query: ItemQuery<GenericPassword>,
        _ value: Data,
        _ accessibility: ItemAccessibility?
    ) -> UpdateRequest {
        var update = UpdateRequest(filter: scoped(query.filter), secret: SecretBytes(value).buffer)
        update.attributes[.accessible] = accessibility.map { .string($0.rawValue) }
        return update
    }
}

extension ItemQuery {
    /// The modification date to match; `nil` matches any.
    package var modified: Date? {
        get { content[date: .modificationDate] }
        set {
            content.attributes[.modificationDate] = newValue.map { .date($0.timeIntervalSinceReferenceDate) }
        }
    }
}

extension GenericPassword {
    /// The account if it was stored as a string; `nil` if it was stored as bytes or is absent.
    package var accountText: String? {
        if case .string(let text)? = content.attributes[.account] { text } else { nil }
    }
}
