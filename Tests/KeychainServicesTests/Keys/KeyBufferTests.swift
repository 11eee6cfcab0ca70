// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import KeychainServices
import Testing

/// Deprecated key functions, such as `SecKeyRawSign`, that write their result into the caller's buffer.
@Suite struct KeyBufferTests {
    private let message = Data("a message".utf8)

    /// Signs a digest into a buffer of `room` bytes; `size` is the size that the function reported.
    private func sign(
        _ digest: Data,
        _ padding: SecPadding,
        _ key: SecKey,
        room: Int = 1_024
    ) -> (status: OSStatus, signature: Data, size: Int) {
        var (signature, size) = ([UInt8](repeating: 0, count: max(room, 1)), room)
        let status = unsafe SecKeyRawSign(key, padding, Array(digest), digest.count, &signature, &size)
        return (status, Data(signature.prefix(status == errSecSuccess ? size : 0)), size)
    }

    private func verify(_ signature: Data, _ digest: Data, _ padding: SecPadding, _ key: SecKey) -> OSStatus {
        unsafe SecKeyRawVerify(key, padding, Array(digest), digest.count, Array(signature), signature.count)
    }

    @Test func `each padding selects an algorithm`() throws {
        let (rsa, curve) = (try KeyPair.rsa(), try KeyPair.ellipticCurve())
        let sha1 = Data(Insecure.SHA1.hash(data: message))
        let sha256 = Data(SHA256.hash(data: message))
        let sha512 = Data(SHA512.hash(data: message))
        let rows: [(pair: KeyPair, SecPadding, digest: Data, SecKeyAlgorithm)] = [
            (rsa, .PKCS1SHA1, sha1, .rsaSignatureMessagePKCS1v15SHA1),
            (rsa, .PKCS1SHA256, sha256, .rsaSignatureMessagePKCS1v15SHA256),
            (rsa, .PKCS1SHA512, sha512, .rsaSignatureMessagePKCS1v15SHA512),
            (curve, .PKCS1, sha1, .ecdsaSignatureMessageX962SHA1),
            (curve, .PKCS1, sha256, .ecdsaSignatureMessageX962SHA256),
            (curve, .PKCS1, sha512, .ecdsaSignatureMessageX962SHA512),
            (curve, [], sha256, .ecdsaSignatureMessageX962SHA256),
            (curve, .PKCS1SHA256, sha256, .ecdsaSignatureMessageX962SHA256),
            (curve, .sigRaw, sha256, .ecdsaSignatureMessageRFC4754SHA256),
        ]
        for (pair, padding, digest, algorithm) in rows {
            let (status, signature, size) = sign(digest, padding, pair.private)
            #expect(status == errSecSuccess)
            #expect(signature.count == size && size > 0)
            #expect(
                SecKeyVerifySignature(pair.public, algorithm, message as CFData, signature as CFData, nil),
                "\(algorithm.rawValue)"
            )
            let other = try failing { SecKeyCreateSignature(pair.private, algorithm, message as CFData, $0) }
            #expect(verify(other as Data, digest, padding, pair.public) == errSecSuccess)
            var wrong = digest
            wrong[0] ^= 1
            #expect(verify(signature, wrong, padding, pair.public) == errSSLCrypto)
        }
    }

    @Test func `ECDSA accepts a digest of any size`() throws {
        let pair = try KeyPair.ellipticCurve()
        let digest = Data(repeating: 7, count: 25)
        let (status, signature, _) = sign(digest, .PKCS1, pair.private)
        #expect(status == errSecSuccess)
        #expect(verify(signature, digest, .PKCS1, pair.public) == errSecSuccess)
    }

    @Test func `incompatible arguments and unimplemented paddings are rejected`() throws {
        let (rsa, curve) = (try KeyPair.rsa(), try KeyPair.ellipticCurve())
        let digest = Data(SHA256.hash(data: message))
        #expect(sign(digest, .PKCS1MD5, rsa.private).status == errSecParam)
        #expect(sign(digest, .OAEP, rsa.private).status == errSecParam)
        #expect(sign(digest, .PKCS1SHA512, rsa.private).status == errSecParam)
        #expect(sign(digest, .PKCS1, rsa.private).status == errSecUnimplemented)
        #expect(sign(digest, [], rsa.private).status == errSecUnimplemented)
        #expect(sign(digest, .PKCS1SHA256, rsa.public).status == errSecParam)
        #expect(verify(Data([1]), digest, .PKCS1MD2, rsa.public) == errSecParam)
        #expect(verify(Data([1]), digest, .sigRaw, curve.public) == errSSLCrypto)
        #expect(unsafe SecKeyRawVerify(curve.public, [], Array(digest), -1, [0], 1) == errSecParam)
        #expect(encrypt(message, .PKCS1, curve.public).status == errSecParam)
        #expect(encrypt(message, [], rsa.public).status == errSecUnimplemented)
    }

    @Test func `a buffer that is too small is rejected, and its size is unchanged`() throws {
        let pair = try KeyPair.rsa()
        let digest = Data(SHA256.hash(data: message))
        for room in [0, 255] {
            let (status, _, size) = sign(digest, .PKCS1SHA256, pair.private, room: room)
            #expect(status == errSecParam)
            #expect(size == room)
        }
        #expect(sign(digest, .PKCS1SHA256, pair.private, room: 256).status == errSecSuccess)
    }

    private func encrypt(
        _ plaintext: Data,
        _ padding: SecPadding,
        _ key: SecKey
    ) -> (status: OSStatus, ciphertext: [UInt8]) {
        var (ciphertext, size) = ([UInt8](repeating: 0, count: 512), 512)
        let status = unsafe SecKeyEncrypt(
            key,
            padding,
            Array(plaintext),
            plaintext.count,
            &ciphertext,
            &size
        )
        return (status, Array(ciphertext.prefix(size)))
    }

    @Test(arguments: [SecPadding.PKCS1, .OAEP]) func `an encrypted block is decrypted`(
        padding: SecPadding
    ) throws {
        let pair = try KeyPair.rsa()
        for plaintext in [Data(), message] {
            let (status, ciphertext) = encrypt(plaintext, padding, pair.public)
            #expect(status == errSecSuccess)
            #expect(ciphertext.count == SecKeyGetBlockSize(pair.public))
            var (found, size) = ([UInt8](repeating: 0, count: 256), 256)
            #expect(
                unsafe SecKeyDecrypt(pair.private, padding, ciphertext, ciphertext.count, &found, &size)
                    == errSecSuccess
            )
            #expect(Data(found.prefix(size)) == plaintext)
            var room = plaintext.count - 1
            if room >= 0 {
                #expect(
                    unsafe SecKeyDecrypt(pair.private, padding, ciphertext, ciphertext.count, &found, &room)
                        == errSecParam
                )
            }
        }
    }
}
