// SPDX-License-Identifier: Apache-2.0

#if SecretService
import CKeychainLibCrypto
import KeychainModel

/// The key of an encrypted session: AES-128 in CBC mode with PKCS#7 padding.
final class SessionKey: Sendable {
    private let key: SecretBytes
    private static let blockSize = 16

    init(_ key: consuming SecretBytes) { self.key = key }

    /// Derives the key from the shared secret with HKDF-SHA256, with empty salt and info.
    static func derive(from shared: borrowing SecretBytes) throws(CallError) -> SecretBytes {
        guard let function = unsafe EVP_KDF_fetch(nil, "HKDF", nil),
            let context = unsafe EVP_KDF_CTX_new(function)
        else { throw .failed }
        defer {
            unsafe EVP_KDF_CTX_free(context)
            unsafe EVP_KDF_free(function)
        }
        var isDone = false
        let key = unsafe SecretBytes(count: DiffieHellman.keySize) { key in
            unsafe shared.withBytes { shared in
                var digest = Array("SHA256".utf8CString)
                unsafe digest.withUnsafeMutableBufferPointer { digest in
                    let secret = unsafe UnsafeMutableRawPointer(mutating: shared.baseAddress)
                    // The parameters keep pointers to their names, which must therefore be static.
                    let parameters = unsafe [
                        OSSL_PARAM_construct_utf8_string(
                            ("digest" as StaticString).cString,
                            digest.baseAddress,
                            0
                        ),
                        OSSL_PARAM_construct_octet_string(
                            ("key" as StaticString).cString,
                            secret,
                            shared.count
                        ),
                        OSSL_PARAM_construct_end(),
                    ]
                    let start = unsafe key.assumingMemoryBound(to: UInt8.self).baseAddress
                    isDone = unsafe EVP_KDF_derive(context, start, key.count, parameters) == 1
                }
            }
        }
        guard isDone else { throw .failed }
        return key
    }

    func encrypt(_ value: SecretBuffer) throws(CallError) -> (vector: [UInt8], value: SecretBuffer) {
        // Generate two numbers instead of 16 bytes, because each call of the generator is a system call.
        var generator = SystemRandomNumberGenerator()
        let numbers = [generator.next(), generator.next()]
        let vector = numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return (vector, try convert(value, vector, encrypting: true))
    }

    func decrypt(_ value: SecretBuffer, _ vector: [UInt8]) throws(CallError) -> SecretBuffer {
        guard vector.count == Self.blockSize, !value.isEmpty, value.count % Self.blockSize == 0 else {
            throw .invalidArguments
        }
        return try convert(value, vector, encrypting: false)
    }

    private func convert(
        _ value: SecretBuffer,
        _ vector: [UInt8],
        encrypting: Bool
    ) throws(CallError) -> SecretBuffer {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .failed }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        let isReady = unsafe key.withBytes { key in
            let start = unsafe key.assumingMemoryBound(to: UInt8.self).baseAddress
            return unsafe EVP_CipherInit_ex(
                context,
                EVP_aes_128_cbc(),
                nil,
                start,
                vector,
                encrypting ? 1 : 0
            )
        }
        guard isReady == 1 else { throw .failed }
        let result = unsafe SecretBuffer(capacity: value.count + Self.blockSize) { output in
            unsafe value.withUnsafeBytes { input in
                let start = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
                let source = unsafe input.assumingMemoryBound(to: UInt8.self).baseAddress
                var (count, rest): (CInt, CInt) = (0, 0)
                guard unsafe EVP_CipherUpdate(context, start, &count, source, CInt(input.count)) == 1,
                    unsafe EVP_CipherFinal_ex(context, start.map { unsafe $0 + Int(count) }, &rest) == 1
                else { return nil }
                return Int(count + rest)
            }
        }
        guard let result else { throw .invalidArguments }
        return result
    }
}

struct Session {
    /// The key; `nil` in a plain session, which sends secrets as they are.
    let key: SessionKey?

    static let plain = "plain"
    static let encrypted = "dh-ietf1024-sha256-aes128-cbc-pkcs7"

    func transfer(
        _ value: SecretBuffer,
        _ contentType: String,
        by path: String
    ) throws(CallError) -> TransferredSecret {
        guard let key else {
            return TransferredSecret(session: path, parameters: [], value: value, contentType: contentType)
        }
        let (vector, encrypted) = try key.encrypt(value)
        return TransferredSecret(
            session: path,
            parameters: vector,
            value: encrypted,
            contentType: contentType
        )
    }

    func receive(_ secret: TransferredSecret) throws(CallError) -> SecretBuffer {
        guard let key else { return secret.value }
        return try key.decrypt(secret.value, secret.parameters)
    }
}
#endif
