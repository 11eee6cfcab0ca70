// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
package import KeychainStore

/// The private keys of a device, which never leave it.
package struct DeviceKeys: Sendable {
    package let sign: Ed25519PrivateKey
    package let box: BoxPrivateKey

    package init(sign: Ed25519PrivateKey, box: BoxPrivateKey) {
        self.sign = sign
        self.box = box
    }

    package static func random() -> Self { Self(sign: .random(), box: .random()) }

    package var publicKeys: DevicePublicKeys {
        DevicePublicKeys(sign: sign.publicKey, box: box.publicKey)
    }

    package var identifier: Bytes16 { publicKeys.identifier }
}

package struct DevicePublicKeys: Hashable, Sendable {
    /// The Ed25519 key that verifies the records, heads and manifests of the device.
    package let sign: Ed25519PublicKey
    /// The X25519 key to which each manifest encrypts the circle's keys.
    package let box: Bytes32

    /// The first 16 bytes of the digest of both keys.
    package let identifier: Bytes16

    package init(sign: Ed25519PublicKey, box: Bytes32) {
        self.sign = sign
        self.box = box
        identifier = SynchronizationCryptography.digest("kc-device-1", sign.bytes.bytes + box.bytes).truncated
    }
}

extension Bytes16 {
    package var hexadecimal: String { bytes.hexadecimal }
}

extension Bytes32 {
    /// Decodes 64 lower-case hexadecimal digits; `nil` if they are malformed.
    package init?(hexadecimal digits: some StringProtocol) {
        var bytes: [UInt8] = []
        var rest = digits[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        guard bytes.hexadecimal == digits else { return nil }
        self.init(bytes)
    }
}

extension [UInt8] {
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * count)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
