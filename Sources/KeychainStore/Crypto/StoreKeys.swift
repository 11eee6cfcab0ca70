// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The keys derived from the device key of a store, which need no passcode.
///
/// This is a class because every search passes it on, and copying a structure would retain each key.
package final class StoreKeys: Sendable {
    package let store: Bytes16
    /// Encrypts the header, the lock page and the page of the recipient public key.
    let header: SecretKey
    /// Wraps class keys if no passcode is set.
    let classKeyWrapping: SecretKey
    /// Computes the digests of access groups, attributes and primary keys, also while the keychain is locked.
    package let index: IndexDigest
    /// Computes the keyed hashes of rows, whose sums are the multiset hashes.
    let set: KeyedDigest
    /// Encrypts the class keys in key caches.
    let runtime: SecretKey
    /// Encrypts the pages in which synchronization stores its state.
    let synchronization: SecretKey
    /// Mixes the output of Argon2id with the device key.
    private let passcode: SecretKey

    package init(_ device: DeviceKey) {
        store = device.store
        let keys = device.key.derive(
            ["header", "class keys", "index", "set", "runtime", "passcode", "synchronization"],
            for: device.store
        )
        header = keys[0]
        classKeyWrapping = keys[1]
        index = IndexDigest(key: KeyedDigest(key: keys[2]))
        set = KeyedDigest(key: keys[3])
        runtime = keys[4]
        passcode = keys[5]
        synchronization = keys[6]
    }

    /// Mixes a key that Argon2id derived from a passcode with the device key.
    func passcodeKey(_ derived: SecretKey) -> SecretKey {
        var message = unsafe derived.withBytes { unsafe Array($0) }
        defer {
            message.wipe()
            SecretKey.clearStack()
        }
        return unsafe SecretKey { target in unsafe BLAKE2b.digest(message, key: passcode, into: target) }
    }
}
