// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
import KeychainStore

/// The contents of an invitation, for the joining device; sealed with a key derived from the invitation code.
package struct InvitationOffer: Hashable, Sendable {
    package var circle: Bytes16
    package var generation: UInt32
    package var version: UInt64
    /// The digest of the manifest with the number `version`.
    package var manifest: Bytes32
    package var role: MemberRole
    /// When the invitation expires, in milliseconds since 1970 by the inviting device's clock.
    package var expiry: UInt64
    package var inviter: Bytes16
    /// The sequence number of each device's ``Head``; a lower one in etcd shows a rollback.
    package var sequences: [Bytes16: UInt64]

    package init(
        circle: Bytes16,
        generation: UInt32,
        version: UInt64,
        manifest: Bytes32,
        role: MemberRole,
        expiry: UInt64,
        inviter: Bytes16,
        sequences: [Bytes16: UInt64]
    ) {
        self.circle = circle
        self.generation = generation
        self.version = version
        self.manifest = manifest
        self.role = role
        self.expiry = expiry
        self.inviter = inviter
        self.sequences = sequences
    }

    package func sealed(with code: InvitationCode) -> [UInt8] {
        var writer = FieldWriter()
        writer.append(circle)
        writer.append(generation)
        writer.append(version)
        writer.append(manifest)
        writer.append(role.rawValue)
        writer.append(expiry)
        writer.append(inviter)
        writer.append(UInt16(clamping: sequences.count))
        for (device, sequence) in sequences.sorted(by: { $0.key.hexadecimal < $1.key.hexadecimal }) {
            writer.append(device)
            writer.append(sequence)
        }
        return SynchronizationCryptography.seal(
            writer.bytes,
            under: code.offerKey,
            associatedData: code.identifier.bytes
        )
    }

    /// Decrypts an offer; `nil` if it was not sealed with this code or is malformed.
    package init?(opening box: [UInt8], with code: InvitationCode) {
        guard
            let plain = SynchronizationCryptography.open(
                box,
                under: code.offerKey,
                associatedData: code.identifier.bytes
            )
        else { return nil }
        var reader = FieldReader(plain)
        guard let circle = reader.bytes16(), let generation: UInt32 = reader.number(),
            let version: UInt64 = reader.number(), let manifest = reader.bytes32(),
            let roleCode: UInt8 = reader.number(), let role = MemberRole(rawValue: roleCode),
            let expiry: UInt64 = reader.number(), let inviter = reader.bytes16(),
            let count: UInt16 = reader.number()
        else { return nil }
        var sequences: [Bytes16: UInt64] = [:]
        for _ in 0..<count {
            guard let device = reader.bytes16(), let sequence: UInt64 = reader.number() else { return nil }
            sequences[device] = sequence
        }
        guard reader.isAtEnd else { return nil }
        self.init(
            circle: circle,
            generation: generation,
            version: version,
            manifest: manifest,
            role: role,
            expiry: expiry,
            inviter: inviter,
            sequences: sequences
        )
    }
}

/// The request of a device that joins: its public keys and name, sealed with a key derived from the code.
package struct JoinRequest: Hashable, Sendable {
    package let keys: DevicePublicKeys
    package let name: String
    private let signature: [UInt8]

    package init(_ device: DeviceKeys, name: String, manifest: Bytes32, code: InvitationCode) {
        keys = device.publicKeys
        self.name = String(decoding: name.utf8.prefix(100), as: UTF8.self)
        signature = device.sign.signature(of: Self.message(keys, self.name, manifest, code))
    }

    package func sealed(with code: InvitationCode) -> [UInt8] {
        var writer = FieldWriter()
        writer.append(keys.sign.bytes)
        writer.append(keys.box)
        writer.append(UInt8(clamping: name.utf8.count))
        writer.append(name)
        writer.append(signature)
        return SynchronizationCryptography.seal(
            writer.bytes,
            under: code.requestKey,
            associatedData: code.identifier.bytes
        )
    }

    /// Decrypts a request; `nil` if it was not sealed with this code, is malformed, or has an invalid signature.
    package init?(opening box: [UInt8], with code: InvitationCode, manifest: Bytes32) {
        guard
            let plain = SynchronizationCryptography.open(
                box,
                under: code.requestKey,
                associatedData: code.identifier.bytes
            )
        else { return nil }
        var reader = FieldReader(plain)
        guard let sign = reader.bytes32(), let box = reader.bytes32(), let length: UInt8 = reader.number(),
            let name = reader.take(Int(length)),
            let signature = reader.take(Ed25519PrivateKey.signatureCount), reader.isAtEnd
        else { return nil }
        keys = DevicePublicKeys(sign: Ed25519PublicKey(sign), box: box)
        self.name = String(decoding: name, as: UTF8.self)
        self.signature = signature
        guard keys.sign.isValid(signature, of: Self.message(keys, self.name, manifest, code)) else {
            return nil
        }
    }

    private static func message(
        _ keys: DevicePublicKeys,
        _ name: String,
        _ manifest: Bytes32,
        _ code: InvitationCode
    ) -> [UInt8] {
        var writer = FieldWriter()
        writer.append("kc-join-1")
        writer.append(code.identifier)
        writer.append(keys.sign.bytes)
        writer.append(keys.box)
        writer.append(UInt8(clamping: name.utf8.count))
        writer.append(name)
        writer.append(manifest)
        return writer.bytes
    }
}
