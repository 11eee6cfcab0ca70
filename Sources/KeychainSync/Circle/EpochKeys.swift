// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
package import KeychainStore

/// The keys of a circle during one epoch; removing a device or rebuilding the circle starts a new epoch.
package struct EpochKeys: Sendable {
    package let epoch: UInt32
    package let key: SecretKey
    /// The key of the digests that name records.
    ///
    /// It is the same in all epochs of a generation, which lasts until the circle is rebuilt, so that records keep
    /// their names.
    package let index: SecretKey
    package let records: SecretKey
    package let heads: SecretKey

    package init(epoch: UInt32, key: SecretKey, index: SecretKey) {
        self.epoch = epoch
        self.key = key
        self.index = index
        records = SynchronizationCryptography.deriveKey("record", from: key)
        heads = SynchronizationCryptography.deriveKey("head", from: key)
    }

    /// Returns the name of an item's record in etcd: a keyed digest of the item's primary key.
    package func name(of item: SynchronizedItem) -> Bytes32 {
        SynchronizationCryptography.digest("kc-name-1", item.identityBytes, key: index)
    }

    /// Returns a digest that commits to the key of the epoch and the index key, for the signed manifest.
    ///
    /// The commitment authenticates the keys, because `crypto_box_seal`, which seals them to each member,
    /// does not authenticate its sender.
    package func commitment(in circle: Bytes16) -> Bytes32 {
        var writer = FieldWriter()
        writer.append(circle)
        writer.append(epoch)
        var bytes = writer.bytes + secretBytes
        defer { bytes.wipe() }
        return SynchronizationCryptography.digest("kc-epoch-1", bytes)
    }

    /// The key of the epoch and the index key: 64 secret bytes.
    package var secretBytes: [UInt8] {
        unsafe key.withBytes { unsafe Array($0) } + index.withBytes { unsafe Array($0) }
    }

    /// Decodes the key of the epoch and the index key; `nil` if the bytes do not match the commitment.
    package init?(epoch: UInt32, secretBytes: [UInt8], commitment: Bytes32, circle: Bytes16) {
        guard let keys = Self(epoch: epoch, secretBytes: secretBytes),
            keys.commitment(in: circle) == commitment
        else { return nil }
        self = keys
    }

    /// Decodes the key of the epoch and the index key; `nil` unless there are 64 bytes.
    package init?(epoch: UInt32, secretBytes: [UInt8]) {
        guard secretBytes.count == 64,
            let key = unsafe secretBytes.withUnsafeBytes({
                unsafe SecretKey(copying: UnsafeRawBufferPointer(rebasing: $0[..<32]))
            }),
            let index = unsafe secretBytes.withUnsafeBytes({
                unsafe SecretKey(copying: UnsafeRawBufferPointer(rebasing: $0[32...]))
            })
        else { return nil }
        self.init(epoch: epoch, key: key, index: index)
    }
}
