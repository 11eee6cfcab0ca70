// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainServices

/// Stores values; if a call fails, the old value is kept.
extension SandboxCalls {
    /// The number of attempts before a call fails because of concurrent writers.
    private static let attempts = 16

    static func store(_ object: Data, _ key: String, in sandbox: Sandbox) throws(VaultError) {
        if sandbox.hasAccessControl {
            try replace(object, key, in: sandbox)
        } else {
            try upsert(object, key, in: sandbox)
        }
    }

    /// Updates an existing item, or adds a new one.
    ///
    /// Each step is atomic. If a concurrent writer adds or removes the value, the next step handles the change. An
    /// item with the same key but another accessibility is the same item to the keychain, and receives the
    /// valet's accessibility. This occurs only with valets that were created with an explicitly set identifier.
    ///
    /// On macOS, the original library deletes and adds items instead, because of access control lists. Those exist
    /// only in file-based keychains, which no query here uses.
    static func upsert(_ object: Data, _ key: String, in sandbox: Sandbox) throws(VaultError) {
        let vault = sandbox.vault(nil)
        if try vault.changeAll(matching: sandbox.query(key), to: object) { return }
        let accessibility = sandbox.service.configuration.itemAccessibility
        for _ in 0..<attempts {
            if try vault.addIfAbsent(sandbox.item(key), object) { return }
            if try vault.changeAll(matching: sandbox.identity(key), to: object, accessibility) { return }
        }
        // Concurrent writers changed the item in every attempt.
        throw VaultError(.conflict, .set, status: errSecDuplicateItem)
    }

    /// Adds an item with an access control; first deletes the existing item of the key, if any.
    ///
    /// Updating an item with an access control requires authentication; deleting and adding it does not.
    private static func replace(_ object: Data, _ key: String, in sandbox: Sandbox) throws(VaultError) {
        let (vault, item) = (sandbox.vault(nil), sandbox.item(key))
        if try vault.addIfAbsent(item, object) { return }
        for _ in 0..<attempts {
            if try vault.replaceAll(matching: sandbox.query(key), with: item, object) { return }
            // Nothing was replaced, for example because a concurrent writer removed the item.
            if try vault.addIfAbsent(item, object) { return }
        }
        throw VaultError(.conflict, .set, status: errSecDuplicateItem)
    }
}
