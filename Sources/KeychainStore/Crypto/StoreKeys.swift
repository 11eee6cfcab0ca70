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
    /// What a passcode is tangled with.
    private let passcode: KeyedDigest
    private let keyEncryptionLabel: [UInt8]
    /// Seals unlocked keys while another program than ours holds them.
    let runtime: SymmetricKey

    package init(_ device: DeviceKey) {
        store = device.store
        header = device.derive("header")
        keyEncryption = device.derive("kek-device")
        index = IndexDigest(key: KeyedDigest(key: device.derive("index")))
        set = KeyedDigest(key: device.derive("set"))
        passcode = KeyedDigest(key: device.derive("passcode"))
        keyEncryptionLabel = Array("lkc/1/kek-pass".utf8) + device.store.bytes
        runtime = device.derive("runtime")
    }

    /// Tangles what scrypt made of a passcode with the device key: HKDF-SHA256, with the device's part as its salt.
    func passcodeKey(_ derived: SymmetricKey) -> SymmetricKey {
        var message = unsafe derived.withUnsafeBytes { unsafe Array($0) }
        defer { message.wipe() }
        let pseudoRandomKey = SymmetricKey(passcode.digest(of: message))
        return HKDF<SHA256>.expand(
            pseudoRandomKey: pseudoRandomKey,
            info: keyEncryptionLabel,
            outputByteCount: 32
        )
    }
}
