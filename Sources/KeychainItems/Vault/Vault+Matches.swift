// SPDX-License-Identifier: Apache-2.0

import KeychainModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What the wrappers need: libraries that take the first of several items, or change all of them.
extension Vault {
    /// The value of the first item that matches; `nil` if none matches.
    ///
    /// - Returns: The value, in memory that is overwritten when it is released; `nil` within if the item has none.
    package func firstValue(matching query: ItemQuery<GenericPassword>) throws(VaultError) -> Data?? {
        let request = CopyRequest(filter: scoped(query.filter), limit: .one, returning: .data)
        guard let found = try find(request, .read).first else { return nil }
        return .some(found.secret)
    }

    /// The first item that matches, and its value; `nil` if none matches.
    package func first(
        matching query: ItemQuery<GenericPassword>
    ) throws(VaultError) -> (item: GenericPassword, value: Data?)? {
        let request = CopyRequest(
            filter: scoped(query.filter),
            limit: .one,
            returning: [.attributes, .data]
        )
        return try find(request, .read).first.map { (GenericPassword(content: ItemContent($0)), $0.secret) }
    }

    /// Whether an item matches; the user is not asked.
    package func hasItem(matching query: ItemQuery<GenericPassword>) throws(VaultError) -> Bool {
        try !find(CopyRequest(filter: scoped(query.filter), limit: .one), .read).isEmpty
    }

    /// Changes value and accessibility of every item that matches; returns whether there was one.
    package func changeAll(
        matching query: ItemQuery<GenericPassword>,
        to value: Data,
        _ accessibility: ItemAccessibility? = nil
    ) throws(VaultError) -> Bool {
        try change(.update(update(query, value, accessibility)), .set)
    }

    /// Changes value and accessibility of every item that matches, or else adds an item, in one transaction.
    package func setAll(
        matching query: ItemQuery<GenericPassword>,
        to value: Data,
        _ accessibility: ItemAccessibility? = nil,
        orAdd item: GenericPassword
    ) throws(VaultError) {
        let request = SetRequest(
            update: update(query, value, accessibility),
            item: newItem(item, value)
        )
        try change(.set(request), .set)
    }

    /// Adds an item; returns whether it was added, as otherwise there is one already.
    package func addIfAbsent(_ item: GenericPassword, _ value: Data) throws(VaultError) -> Bool {
        do throws(VaultError) {
            try add(item, value)
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
        var update = UpdateRequest(filter: scoped(query.filter), secret: value)
        update.attributes[.accessible] = accessibility.map { .text($0.rawValue) }
        return update
    }
}

extension ItemQuery {
    /// When the items were last changed; `nil` for any date.
    package var modified: Date? {
        get { content[date: .modificationDate] }
        set {
            content.attributes[.modificationDate] = newValue.map { .date($0.timeIntervalSinceReferenceDate) }
        }
    }
}

extension GenericPassword {
    /// The account of an item that was stored with a string; `nil` for one that was stored with bytes.
    package var accountText: String? {
        if case .text(let text)? = content.attributes[.account] { text } else { nil }
    }
}
