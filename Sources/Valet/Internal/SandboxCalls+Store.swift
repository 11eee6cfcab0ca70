// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainServices

/// Replaces values without ever losing the old one.
extension SandboxCalls {
    /// The number of attempts with concurrent writers.
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
    /// Each step is atomic. If a concurrent writer adds or removes the value, the next step handles it. An
    /// item with the same key but another accessibility is the same item to the keychain, and receives the
    /// valet's accessibility. This occurs only with explicitly set valets.
    ///
    /// Valet deletes and adds items on macOS because of access lists. These exist only in the keychain file,
    /// which no query here uses.
    static func upsert(_ object: Data, _ key: String, in sandbox: Sandbox) throws(VaultError) {
        let vault = sandbox.vault(nil)
        if try vault.changeAll(matching: sandbox.query(key), to: object) { return }
        let accessibility = sandbox.service.configuration.itemAccessibility
        for _ in 0..<attempts {
            if try vault.addIfAbsent(sandbox.item(key), object) { return }
            if try vault.changeAll(matching: sandbox.identity(key), to: object, accessibility) { return }
        }
        // Concurrent writers won every attempt: the item exists.
        throw VaultError(.conflict, .set, status: errSecDuplicateItem)
    }

    /// Adds a constrained value, or replaces an existing one.
    ///
    /// Updating a constrained item requires authentication; deleting and adding it does not.
    private static func replace(_ object: Data, _ key: String, in sandbox: Sandbox) throws(VaultError) {
        let (vault, item) = (sandbox.vault(nil), sandbox.item(key))
        if try vault.addIfAbsent(item, object) { return }
        for _ in 0..<attempts {
            if try vault.replaceAll(matching: sandbox.query(key), with: item, object) { return }
            // A concurrent writer removed it.
            if try vault.addIfAbsent(item, object) { return }
        }
        throw VaultError(.conflict, .set, status: errSecDuplicateItem)
    }
}
