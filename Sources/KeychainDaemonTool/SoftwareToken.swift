// SPDX-License-Identifier: Apache-2.0

import KeychainDaemon
import KeychainModel
import KeychainObjects

#if Objects
import FoundationEssentials

/// Makes and uses private keys in the memory of the daemon.
struct SoftwareToken: PrivateKeyToken {
    /// The token, if this build has the package trait `Objects`.
    static let ofThisBuild: (any PrivateKeyToken)? = SoftwareToken()

    func makeKey() throws(StatusError) -> TokenKey {
        try Self.converting { () throws(AsymmetricKeyError) in
            let key = try AsymmetricKey(generating: .ellipticCurve(.p256))
            let visible = try AsymmetricKey(inToken: key.publicBytes)
            return TokenKey(
                privateHalf: key.storedValue,
                point: visible.storedValue,
                attributes: visible.derivedAttributes
            )
        }
    }

    func sign(_ digest: [UInt8], with privateHalf: SecretBuffer) throws(StatusError) -> SecretBuffer {
        try Self.converting { () throws(AsymmetricKeyError) in
            let key = try Self.key(privateHalf)
            return SecretBuffer(try key.signature(ofDigest: Data(digest)))
        }
    }

    func agree(with point: [UInt8], by privateHalf: SecretBuffer) throws(StatusError) -> SecretBuffer {
        try Self.converting { () throws(AsymmetricKeyError) in
            let key = try Self.key(privateHalf)
            // Parsing checks that the point is on the curve.
            let other = try AsymmetricKey(.ellipticCurve, .public, representation: Data(point))
            return SecretBuffer(try key.sharedCoordinate(with: other))
        }
    }

    private static func key(_ privateHalf: SecretBuffer) throws(AsymmetricKeyError) -> AsymmetricKey {
        var bytes = privateHalf.data
        defer { bytes.erase() }
        return try AsymmetricKey(.ellipticCurve, .private, representation: bytes)
    }

    private static func converting<Result>(
        _ body: () throws(AsymmetricKeyError) -> Result
    ) throws(StatusError) -> Result {
        do throws(AsymmetricKeyError) {
            return try body()
        } catch {
            throw StatusError(error.status)
        }
    }
}
#else
/// Without the package trait `Objects`, the daemon has no token.
enum SoftwareToken {
    static let ofThisBuild: (any PrivateKeyToken)? = nil
}
#endif
