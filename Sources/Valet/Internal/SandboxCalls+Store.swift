// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// Writing a value over another one, so that one of the two is there whatever happens.
extension SandboxCalls {
    /// How often two writers may get in each other's way.
    private static let attempts = 16

    static func store(_ object: Data, _ key: String, in sandbox: Sandbox) -> OSStatus {
        sandbox.isConstrained ? replace(object, key, in: sandbox) : upsert(object, key, in: sandbox)
    }

    /// Changes the value in its place, or adds it.
    ///
    /// Each step is atomic, and each that finds the store changed under it leads to the next: a value that came or went
    /// meanwhile is no error. An item that has the same key under another accessibility, which only explicitly set
    /// valets can have, is the same item for the keychain: it takes on the valet's.
    ///
    /// The same on macOS, where Valet deletes and adds: what lists of programs an item has is a matter of the keychain file,
    /// and every query here is for the other keychain.
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
        // Others were faster every time: that is no absence.
        return status == errSecItemNotFound ? errSecDuplicateItem : status
    }

    /// Adds a constrained value, or puts it in the place of another.
    ///
    /// To change a constrained item in its place would ask the user; to delete and to add one does not.
    private static func replace(_ object: Data, _ key: String, in sandbox: Sandbox) -> OSStatus {
        // Without its constraint the value would be readable by anyone.
        guard sandbox.attributes.dictionary.object(forKey: kSecAttrAccessControl as NSString) != nil else {
            return errSecParam
        }
        let item = sandbox.attributes.adding(account: key).adding(kSecValueData, object)
        var status = SecItem.add(attributes: item.dictionary)
        for _ in 0..<attempts where status == errSecDuplicateItem || status == errSecItemNotFound {
            let old = sandbox.items.adding(account: key)
            #if canImport(Darwin)
            // Apple's keychain has no call that does both: what keeps the item from being added was met above, and
            // adding fails before it is known to be a duplicate.
            status = SecItem.deleteItems(matching: old.dictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { break }
            status = SecItem.add(attributes: item.dictionary)
            #else
            status = SecItemApply([.delete(old.dictionary), .add(item.dictionary)])
            // Somebody else removed it.
            if status == errSecItemNotFound { status = SecItem.add(attributes: item.dictionary) }
            #endif
        }
        return status
    }
}
