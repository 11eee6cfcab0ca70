// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
import KeychainStore

/// A device's signed request that an admin remove it from the circle.
package struct LeaveRequest: Hashable, Sendable {
    private static let magic = "KCL1"

    private let circle: Bytes16
    package let device: Bytes16
    /// The digest of the newest manifest that the device knew.
    private let manifest: Bytes32
    private let signature: [UInt8]
    package let encoded: [UInt8]

    package init(of device: DeviceKeys, in manifest: Manifest) {
        var writer = FieldWriter()
        writer.append(Self.magic)
        writer.append(manifest.circle)
        writer.append(device.identifier)
        writer.append(manifest.digest)
        signature = device.sign.signature(of: writer.bytes)
        writer.append(signature)
        circle = manifest.circle
        self.device = device.identifier
        self.manifest = manifest.digest
        encoded = writer.bytes
    }

    /// Decodes a request without checking its signature; `nil` if it is malformed.
    package init?(decoding bytes: [UInt8]) {
        var reader = FieldReader(bytes)
        guard reader.skip(Self.magic), let circle = reader.bytes16(), let device = reader.bytes16(),
            let manifest = reader.bytes32(),
            let signature = reader.take(Ed25519PrivateKey.signatureCount), reader.isAtEnd
        else { return nil }
        self.circle = circle
        self.device = device
        self.manifest = manifest
        self.signature = signature
        encoded = bytes
    }

    /// Whether a member of the circle with these manifests has signed the request.
    package func isValid(in manifests: [Manifest]) -> Bool {
        guard let newest = manifests.last, newest.circle == circle, let member = newest.member(device),
            manifests.contains(where: { $0.digest == manifest })
        else { return false }
        let signed = encoded.dropLast(Ed25519PrivateKey.signatureCount)
        return member.keys.sign.isValid(signature, of: Array(signed))
    }
}
