// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync

/// Devices and device lists (``Manifest``) with fixed or random keys.
enum CircleFixture {
    static let circle = Bytes16([UInt8](repeating: 0x0F, count: 16)) ?? .zero

    static func secret(_ bytes: some Collection<UInt8>) -> SecretKey {
        Array(bytes).withUnsafeBytes { SecretKey(copying: $0) } ?? .random()
    }

    /// A device whose keys are the bytes from 0 to 63.
    static let fixedDevice = DeviceKeys(
        sign: Ed25519PrivateKey(seed: secret(0..<32)),
        box: BoxPrivateKey(secret: secret(32..<64))
    )

    static func keys(epoch: UInt32 = 1) -> EpochKeys {
        EpochKeys(epoch: epoch, key: .random(), index: .random())
    }

    static func first(_ admin: DeviceKeys, _ keys: EpochKeys) -> Manifest? {
        Manifest(
            Manifest.Draft(circle: circle, time: 1, members: [(admin.publicKeys, .admin, "first")]),
            keys: keys,
            previousKey: Manifest.previousKey(nil, under: keys, in: circle),
            by: admin
        )
    }

    /// The successor of a manifest, changed by the closure.
    static func next(
        after former: Manifest,
        _ keys: EpochKeys,
        by admin: DeviceKeys,
        former formerKeys: EpochKeys? = nil,
        _ change: (inout Manifest.Draft) -> Void
    ) -> Manifest? {
        var draft = Manifest.Draft(
            circle: former.circle,
            time: 2,
            members: former.members.map { ($0.keys, $0.role, "name") }
        )
        draft.generation = former.generation
        draft.version = former.version + 1
        draft.previous = former.digest
        draft.removed = former.removed
        change(&draft)
        return Manifest(
            draft,
            keys: keys,
            previousKey: formerKeys.map { Manifest.previousKey($0, under: keys, in: former.circle) }
                ?? former.previousKey,
            by: admin
        )
    }

    static func item(
        _ account: String,
        _ value: String = "secret",
        date: Double = 700_000_000
    ) -> SynchronizedItem? {
        var attributes = Attributes()
        attributes[.accessGroup] = .string("group")
        attributes[.account] = .string(account)
        attributes[.service] = .string("service")
        attributes[.creationDate] = .date(date)
        attributes[.modificationDate] = .date(date)
        return SynchronizedItem(
            itemClass: .genericPassword,
            protection: .afterFirstUnlock,
            attributes: attributes,
            value: SecretBuffer(Array(value.utf8))
        )
    }
}
