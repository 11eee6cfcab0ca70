// SPDX-License-Identifier: Apache-2.0

#if PKCS12
import CLibCrypto
import KeychainModel

/// A private key as Apple's calls take it.
enum ExternalForm {
    /// The longest number of a curve: 521 bits.
    private static let maximumCoordinate = 66

    /// The form of a key; `nil` for one of another kind or on another curve.
    static func of(
        _ key: OpaquePointer
    ) throws(KeychainError) -> (kind: PKCS12Archive.Kind, bytes: SecretBytes)? {
        guard let pair = unsafe EVP_PKCS82PKEY_ex(key, LibCrypto.context, nil) else { return nil }
        defer { unsafe EVP_PKEY_free(pair) }
        switch unsafe EVP_PKEY_get_base_id(pair) {
        case EVP_PKEY_RSA:
            return (.rsa, try unsafe LibCrypto.encoded { unsafe i2d_PrivateKey(pair, $0) })
        case EVP_PKEY_EC:
            return unsafe point(of: pair).map { (.ellipticCurve, $0) }
        default: return nil
        }
    }

    /// The public point, not compressed, and behind it the private number.
    private static func point(of pair: OpaquePointer) -> SecretBytes? {
        let size = unsafe curve(of: pair).flatMap {
            ["prime256v1": 32, "secp384r1": 48, "secp521r1": 66][$0]
        }
        guard let size, size <= maximumCoordinate else { return nil }
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(pair, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1 else { return nil }
        defer { unsafe BN_clear_free(number) }
        var isComplete = false
        let form = unsafe SecretBytes(count: 1 + 3 * size) { memory in
            let bytes = unsafe memory.bindMemory(to: UInt8.self).baseAddress
            var written = 0
            let hasPoint = unsafe EVP_PKEY_get_octet_string_param(
                pair,
                OSSL_PKEY_PARAM_PUB_KEY,
                bytes,
                1 + 2 * size,
                &written
            )
            guard hasPoint == 1, written == 1 + 2 * size, unsafe memory[0] == 4 else { return }
            isComplete = unsafe BN_bn2binpad(number, bytes?.advanced(by: written), Int32(size)) == size
        }
        return isComplete ? form : nil
    }

    private static func curve(of pair: OpaquePointer) -> String? {
        var length = 0
        let name = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer -> String? in
            guard unsafe EVP_PKEY_get_group_name(pair, buffer.baseAddress, buffer.count, &length) == 1,
                let start = buffer.baseAddress
            else { return nil }
            return unsafe String(validatingCString: start)
        }
        return name
    }
}
#endif
