// SPDX-License-Identifier: Apache-2.0

import Crypto
package import KeychainModel

/// The keys that need no passcode, derived from the device key for one store.
package struct StoreKeys: Sendable {
    package let store: Bytes16
    /// Seals the header and the pages of the set hash.
    let header: SymmetricKey
    /// Wraps class keys where no passcode is set.
    let keyEncryption: SymmetricKey
    /// Makes index digests; needed while locked, as searching is.
    package let index: IndexDigest
    /// Makes the set hash.
    let set: KeyedDigest

    package init(_ device: DeviceKey) {
        store = device.store
        header = device.derive("header")
        keyEncryption = device.derive("kek-device")
        index = IndexDigest(key: KeyedDigest(key: device.derive("index")))
        set = KeyedDigest(key: device.derive("set"))
    }
}
