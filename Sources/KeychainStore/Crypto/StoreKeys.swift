// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The keys that need no passcode, derived from the device key for one store.
package struct StoreKeys: Sendable {
    package let store: Bytes16
    /// Seals the header, the lock page and the pages of the multiset hash.
    let header: SecretKey
    /// Wraps class keys where no passcode is set.
    let classKeyWrapping: SecretKey
    /// Makes index digests; needed while locked, as searching is.
    package let index: IndexDigest
    /// Makes the multiset hash.
    let set: KeyedDigest
    /// Seals unlocked keys while another program than ours holds them.
    let runtime: SecretKey
    /// Mixes the output of Argon2id with the device key.
    private let passcode: SecretKey

    package init(_ device: DeviceKey) {
        store = device.store
        let keys = device.key.derive(
            ["header", "class keys", "index", "set", "runtime", "passcode"],
            for: device.store
        )
        header = keys[0]
        classKeyWrapping = keys[1]
        index = IndexDigest(key: KeyedDigest(key: keys[2]))
        set = KeyedDigest(key: keys[3])
        runtime = keys[4]
        passcode = keys[5]
    }

    /// Mixes the KDF output with the device key.
    func passcodeKey(_ derived: SecretKey) -> SecretKey {
        var message = unsafe derived.withBytes { unsafe Array($0) }
        defer {
            message.wipe()
            SecretKey.clearStack()
        }
        return unsafe SecretKey { target in unsafe BLAKE2b.digest(message, key: passcode, into: target) }
    }
}
