// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems

/// The existing items of a migration's destination.
///
/// If the destination has fewer than 64 items, they are listed once; otherwise each key is looked up.
struct MigrationDestination {
    /// The number of items at which a destination is no longer listed.
    private static let few = 64

    private let sandbox: Sandbox
    private let vault: Vault
    /// The references of all items by account; `nil` if there are too many items or listing them failed.
    private let known: [ItemString: ItemReference]?

    init(_ sandbox: Sandbox) {
        self.sandbox = sandbox
        vault = sandbox.silentVault
        known = Self.listing(sandbox, vault)
    }

    private static func listing(_ sandbox: Sandbox, _ vault: Vault) -> [ItemString: ItemReference]? {
        var query = sandbox.identities
        query.limit = few
        guard let items = try? vault.items(matching: query), items.count < few else { return nil }
        var known: [ItemString: ItemReference] = [:]
        for item in items {
            guard let reference = item.reference else { return nil }
            known[item.account] = reference
        }
        return known
    }

    /// Whether the key's item in the destination is the source item itself.
    ///
    /// If so, the migration changes the accessibility of the item in place.
    ///
    /// - Throws: `keyToMigrateAlreadyExistsInValet` if the search fails, if the key has another item, or if the source
    ///   item cannot be changed in place: it already has the destination's accessibility, or the destination has an
    ///   access control.
    func isSourceItem(_ item: MigrationItem, for key: String) throws(MigrationError) -> Bool {
        let reference: ItemReference?
        do throws(VaultError) {
            reference = try self.reference(for: key)
        } catch {
            // The search failed, so it is unknown whether the destination has an item for the key.
            sandbox.note(KeychainFailure(error, .migrate))
            throw .keyToMigrateAlreadyExistsInValet
        }
        guard let reference else { return false }
        let accessibility = sandbox.service.configuration.accessibility.secAccessibilityAttribute
        guard reference == item.reference, !sandbox.hasAccessControl, item.accessibility != accessibility
        else { throw .keyToMigrateAlreadyExistsInValet }
        return true
    }

    private func reference(for key: String) throws(VaultError) -> ItemReference? {
        if let known { return known[ItemString(key)] }
        return try vault.reference(matching: sandbox.identity(key))
    }
}
