// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Makes and uses P-256 private keys: in software, or in hardware.
package protocol PrivateKeyToken: Sendable {
    func makeKey() throws(StatusError) -> TokenKey

    /// Signs a digest with a private key, given as ``TokenKey/privateHalf``; returns r and s, padded and concatenated.
    func sign(_ digest: [UInt8], with privateHalf: SecretBuffer) throws(StatusError) -> SecretBuffer

    /// Multiplies an uncompressed point by a private key, given as ``TokenKey/privateHalf``; returns the x coordinate.
    func agree(with point: [UInt8], by privateHalf: SecretBuffer) throws(StatusError) -> SecretBuffer
}

package struct TokenKey: Sendable {
    /// The private key itself, or data by which the token finds or decrypts it.
    package let privateHalf: SecretBuffer
    /// The public key: an uncompressed point.
    package let point: SecretBuffer
    package let attributes: Attributes

    package init(privateHalf: SecretBuffer, point: SecretBuffer, attributes: Attributes) {
        self.privateHalf = privateHalf
        self.point = point
        self.attributes = attributes
    }
}
