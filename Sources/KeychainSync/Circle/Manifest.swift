// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
package import KeychainStore

/// What a member of a circle may do.
package enum MemberRole: UInt8, Sendable, CaseIterable {
    /// Reads and writes items, and changes the circle.
    case admin = 1
    /// Reads and writes items.
    case member = 2
    case readOnly = 3
    /// A ``RecoveryCode``, which can change the circle, but writes no items.
    case recovery = 4

    package var writes: Bool { self == .admin || self == .member }

    /// Whether the member may sign a manifest.
    package var changesCircle: Bool { self == .admin || self == .recovery }

    package var name: String {
        switch self {
        case .admin: "admin"
        case .member: "member"
        case .readOnly: "read-only"
        case .recovery: "recovery"
        }
    }
}

/// A device or a recovery code that belongs to a circle.
package struct Member: Hashable, Sendable {
    package let keys: DevicePublicKeys
    package let role: MemberRole
    /// The circle's keys of the manifest's epoch, encrypted to the device.
    package let sealedKeys: [UInt8]
    /// The name of the device, encrypted with a key of the circle.
    package let sealedName: [UInt8]

    package var identifier: Bytes16 { keys.identifier }
}

/// A device that was removed from a circle, with the digest of its last ``Head`` and the sum of its records.
package struct RemovedDevice: Hashable, Sendable {
    package let device: Bytes16
    package let sign: Ed25519PublicKey
    package let sequence: UInt64
    package let headDigest: Bytes32
    package let sum: RecordSum

    package init(
        device: Bytes16,
        sign: Ed25519PublicKey,
        sequence: UInt64,
        headDigest: Bytes32,
        sum: RecordSum
    ) {
        self.device = device
        self.sign = sign
        self.sequence = sequence
        self.headDigest = headDigest
        self.sum = sum
    }
}

/// One version of the signed list of a circle's devices.
///
/// A valid version contains the digest of the previous version, and is signed by an admin or the recovery code of that
/// previous version. ``isValid(after:)`` checks this, and that removed devices stay removed, for example.
package struct Manifest: Hashable, Sendable {
    package static let magic = "KCM1"
    private static let sealedKeyCount = 64 + BoxPrivateKey.overhead

    package let circle: Bytes16
    package let generation: UInt32
    package let version: UInt64
    package let previous: Bytes32
    package let time: UInt64
    package let epoch: UInt32
    package let commitment: Bytes32
    /// The key of the previous epoch, sealed under the key of this epoch; zeros in the first epoch.
    package let previousKey: [UInt8]
    package let members: [Member]
    package let removed: [RemovedDevice]
    package let signer: Bytes16
    package let encoded: [UInt8]

    package var digest: Bytes32 { SynchronizationCryptography.digest("kc-manifest-1", encoded) }

    package func member(_ device: Bytes16) -> Member? { members.first { $0.identifier == device } }

    package func removal(of device: Bytes16) -> RemovedDevice? { removed.first { $0.device == device } }

    /// Returns the key that verifies the signatures of a present or former member; `nil` for any other device.
    package func signingKey(of device: Bytes16) -> Ed25519PublicKey? {
        member(device)?.keys.sign ?? removal(of: device)?.sign
    }
}

extension Manifest {
    /// The fields of a manifest that a caller chooses.
    package struct Draft: Sendable {
        package var circle: Bytes16
        package var generation: UInt32 = 1
        package var version: UInt64 = 1
        package var previous = Bytes32.zero
        package var time: UInt64
        package var removed: [RemovedDevice] = []
        package var members: [(keys: DevicePublicKeys, role: MemberRole, name: String)]

        package init(
            circle: Bytes16,
            time: UInt64,
            members: [(keys: DevicePublicKeys, role: MemberRole, name: String)]
        ) {
            self.circle = circle
            self.time = time
            self.members = members
        }
    }

    /// Encrypts the circle's keys to each member, and signs the manifest; `nil` if a member's key is invalid.
    package init?(
        _ draft: Draft,
        keys: EpochKeys,
        previousKey: [UInt8],
        by admin: DeviceKeys
    ) {
        var writer = FieldWriter()
        writer.append(Self.magic)
        writer.append(draft.circle)
        writer.append(draft.generation)
        writer.append(draft.version)
        writer.append(draft.previous)
        writer.append(draft.time)
        writer.append(keys.epoch)
        writer.append(keys.commitment(in: draft.circle))
        writer.append(previousKey)
        guard let members = Self.encoded(draft.members, keys) else { return nil }
        writer.append(members)
        writer.append(UInt16(clamping: draft.removed.count))
        for removed in draft.removed { removed.append(to: &writer) }
        writer.append(admin.identifier)
        writer.append(admin.sign.signature(of: writer.bytes))
        self.init(decoding: writer.bytes)
    }

    /// Encodes the members, and encrypts their names and the circle's keys; `nil` if a member's key is invalid.
    private static func encoded(
        _ members: [(keys: DevicePublicKeys, role: MemberRole, name: String)],
        _ keys: EpochKeys
    ) -> [UInt8]? {
        var writer = FieldWriter()
        writer.append(UInt16(clamping: members.count))
        for member in members {
            guard let sealed = BoxPrivateKey.seal(keys.secretBytes, to: member.keys.box) else { return nil }
            let name = SynchronizationCryptography.seal(
                Array(member.name.utf8.prefix(100)),
                under: nameKey(keys),
                associatedData: member.keys.identifier.bytes
            )
            writer.append(member.keys.identifier)
            writer.append(member.keys.sign.bytes)
            writer.append(member.keys.box)
            writer.append(member.role.rawValue)
            writer.append(sealed)
            writer.append(UInt8(clamping: name.count))
            writer.append(name)
        }
        return writer.bytes
    }

    private static func nameKey(_ keys: EpochKeys) -> SecretKey {
        SynchronizationCryptography.deriveKey("device name", from: keys.key)
    }

    /// Decrypts the name of a member; `nil` if it is not authentic.
    package func name(of member: Member, under keys: EpochKeys) -> String? {
        SynchronizationCryptography.open(
            member.sealedName,
            under: Self.nameKey(keys),
            associatedData: member.identifier.bytes
        ).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Decodes a manifest without checking its signature; `nil` if it is malformed.
    package init?(decoding bytes: [UInt8]) {
        var reader = FieldReader(bytes)
        guard reader.skip(Self.magic), let circle = reader.bytes16(),
            let generation: UInt32 = reader.number(),
            let version: UInt64 = reader.number(), let previous = reader.bytes32(),
            let time: UInt64 = reader.number(), let epoch: UInt32 = reader.number(),
            let commitment = reader.bytes32(), let previousKey = reader.take(72),
            let members = Self.members(&reader), let removed = Self.removed(&reader),
            let signer = reader.bytes16(), reader.take(Ed25519PrivateKey.signatureCount) != nil,
            reader.isAtEnd, generation > 0, version > 0, epoch > 0
        else { return nil }
        self.circle = circle
        self.generation = generation
        self.version = version
        self.previous = previous
        self.time = time
        self.epoch = epoch
        self.commitment = commitment
        self.previousKey = previousKey
        self.members = members
        self.removed = removed
        self.signer = signer
        encoded = bytes
    }

    private static func members(_ reader: inout FieldReader) -> [Member]? {
        guard let count: UInt16 = reader.number() else { return nil }
        var members: [Member] = []
        var devices: Set<Bytes16> = []
        for _ in 0..<count {
            guard let device = reader.bytes16(), let sign = reader.bytes32(), let box = reader.bytes32(),
                let code: UInt8 = reader.number(), let role = MemberRole(rawValue: code),
                let keys = reader.take(sealedKeyCount), let length: UInt8 = reader.number(),
                let name = reader.take(Int(length))
            else { return nil }
            let member = Member(
                keys: DevicePublicKeys(sign: Ed25519PublicKey(sign), box: box),
                role: role,
                sealedKeys: keys,
                sealedName: name
            )
            guard member.identifier == device, devices.insert(device).inserted else { return nil }
            members.append(member)
        }
        return members
    }

    private static func removed(_ reader: inout FieldReader) -> [RemovedDevice]? {
        guard let count: UInt16 = reader.number() else { return nil }
        var removed: [RemovedDevice] = []
        for _ in 0..<count {
            guard let device = reader.bytes16(), let sign = reader.bytes32(),
                let sequence: UInt64 = reader.number(), let head = reader.bytes32(),
                let encodedSum = reader.bytes32(), let sum = RecordSum(encodedSum)
            else { return nil }
            removed.append(
                RemovedDevice(
                    device: device,
                    sign: Ed25519PublicKey(sign),
                    sequence: sequence,
                    headDigest: head,
                    sum: sum
                )
            )
        }
        return removed
    }
}

extension RemovedDevice {
    fileprivate func append(to writer: inout FieldWriter) {
        writer.append(device)
        writer.append(sign.bytes)
        writer.append(sequence)
        writer.append(headDigest)
        writer.append(sum.bytes)
    }
}

extension Manifest {
    /// Returns whether the manifest is the first one of its circle, signed by its only member, an admin.
    package var isValidFirst: Bool {
        version == 1 && epoch == 1 && previous == .zero && members.count == 1 && removed.isEmpty
            && members.first.map { $0.role == .admin && isSigned(by: $0) } == true
    }

    /// Returns whether the manifest is a valid successor of another one.
    package func isValid(after former: Manifest) -> Bool {
        guard circle == former.circle, version == former.version + 1, previous == former.digest,
            generation == former.generation || generation == former.generation + 1,
            epoch == former.epoch || epoch == former.epoch + 1,
            let admin = former.member(signer), admin.role.changesCircle, isSigned(by: admin)
        else { return false }
        if generation != former.generation {
            // The circle's new generation has no records of removed devices, so their sums must be zero.
            guard epoch == former.epoch + 1, removed.allSatisfy({ $0.sum == .zero }) else { return false }
        }
        // Removed devices stay removed, and each former member is still a member or is listed as removed.
        let (present, gone) = (Set(members.map(\.identifier)), Set(removed.map(\.device)))
        let leaving = Set(former.members.map(\.identifier)).subtracting(present)
        return gone.isSuperset(of: former.removed.map(\.device)) && gone.isSuperset(of: leaving)
            && (leaving.isEmpty || epoch == former.epoch + 1) && gone.isDisjoint(with: present)
    }

    private func isSigned(by member: Member) -> Bool {
        guard member.identifier == signer else { return false }
        let count = encoded.count - Ed25519PrivateKey.signatureCount
        return member.keys.sign.isValid(Array(encoded[count...]), of: Array(encoded[..<count]))
    }

    /// Decrypts the circle's keys of this manifest's epoch; `nil` if the device is no member or they are not authentic.
    package func keys(of device: DeviceKeys) -> EpochKeys? {
        guard let member = member(device.identifier), var bytes = device.box.open(member.sealedKeys) else {
            return nil
        }
        defer { bytes.wipe() }
        return EpochKeys(epoch: epoch, secretBytes: bytes, commitment: commitment, circle: circle)
    }

    /// Decrypts the keys of the previous epoch with those of this epoch; `nil` in the first epoch or on failure.
    package func formerKeys(under keys: EpochKeys, index: SecretKey) -> EpochKeys? {
        guard epoch > 1, keys.epoch == epoch,
            var key = SynchronizationCryptography.open(
                previousKey,
                under: SynchronizationCryptography.deriveKey("previous key", from: keys.key),
                associatedData: circle.bytes
            )
        else { return nil }
        key += unsafe index.withBytes { unsafe Array($0) }
        defer { key.wipe() }
        return EpochKeys(epoch: epoch - 1, secretBytes: key)
    }

    /// Seals the key of the previous epoch under the key of a new one; zeros if there is no previous epoch.
    package static func previousKey(
        _ former: EpochKeys?,
        under keys: EpochKeys,
        in circle: Bytes16
    ) -> [UInt8] {
        guard let former else { return [UInt8](repeating: 0, count: 72) }
        var key = unsafe former.key.withBytes { unsafe Array($0) }
        defer { key.wipe() }
        return SynchronizationCryptography.seal(
            key,
            under: SynchronizationCryptography.deriveKey("previous key", from: keys.key),
            associatedData: circle.bytes
        )
    }
}
