// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// Replaces values without ever losing the old one.
extension SandboxCalls {
    /// The number of attempts with concurrent writers.
    private static let attempts = 16

    static func store(_ object: Data, _ key: String, in sandbox: Sandbox) -> OSStatus {
        sandbox.hasAccessControl ? replace(object, key, in: sandbox) : upsert(object, key, in: sandbox)
    }

    /// Updates an existing item, or adds a new one.
    ///
    /// Each step is atomic. If a concurrent writer adds or removes the value, the next step handles it. An
    /// item with the same key but another accessibility is the same item to the keychain, and receives the
    /// valet's accessibility. This occurs only with explicitly set valets.
    ///
    /// Valet deletes and adds items on macOS because of access lists. These exist only in the keychain file,
    /// which no query here uses.
    static func upsert(_ object: Data, _ key: String, in sandbox: Sandbox) -> OSStatus {
        let value = Query([:]).adding(kSecValueData, object)
        var status = SecItem.update(
            attributes: value.dictionary,
            forItemsMatching: sandbox.items.adding(account: key).dictionary
        )
        for _ in 0..<attempts where status == errSecItemNotFound {
            let item = sandbox.attributes.adding(account: key).adding(kSecValueData, object)
            status = SecItem.add(attributes: item.dictionary)
            guard status == errSecDuplicateItem else { break }
            let accessibility = sandbox.service.configuration.accessibility.secAccessibilityAttribute
            status = SecItem.update(
                attributes: value.adding(kSecAttrAccessible, accessibility).dictionary,
                forItemsMatching: sandbox.identities.adding(account: key).dictionary
            )
        }
        // Concurrent writers won every attempt: the item exists.
        return status == errSecItemNotFound ? errSecDuplicateItem : status
    }

    /// Adds a constrained value, or replaces an existing one.
    ///
    /// Updating a constrained item requires authentication; deleting and adding it does not.
    private static func replace(_ object: Data, _ key: String, in sandbox: Sandbox) -> OSStatus {
        // Without its constraint, the value would be readable without authentication.
        guard sandbox.attributes.dictionary.object(forKey: kSecAttrAccessControl as NSString) != nil else {
            return errSecParam
        }
        let item = sandbox.attributes.adding(account: key).adding(kSecValueData, object)
        var status = SecItem.add(attributes: item.dictionary)
        for _ in 0..<attempts where status == errSecDuplicateItem || status == errSecItemNotFound {
            let old = sandbox.items.adding(account: key)
            #if canImport(Darwin)
            // Apple's keychain has no atomic replacement. Any other reason why the item cannot be added was
            // reported above, because adding checks for duplicates last.
            status = SecItem.deleteItems(matching: old.dictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { break }
            status = SecItem.add(attributes: item.dictionary)
            #else
            status = SecItemApply([.delete(old.dictionary), .add(item.dictionary)])
            // A concurrent writer removed it.
            if status == errSecItemNotFound { status = SecItem.add(attributes: item.dictionary) }
            #endif
        }
        return status
    }
}
