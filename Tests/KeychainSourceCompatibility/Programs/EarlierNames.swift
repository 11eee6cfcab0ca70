// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program is older than `SecKeyAlgorithm`: it passes buffers with sizes, one padding for all
// operations, and trust results.

enum EarlierKeys {
    static func sign(_ digest: Data, with key: SecKey, _ padding: SecPadding = .PKCS1SHA256) throws -> Data {
        var signatureLength = 256
        var signature = [UInt8](repeating: 0, count: signatureLength)
        let status = digest.withUnsafeBytes {
            SecKeyRawSign(
                key,
                padding,
                $0.bindMemory(to: UInt8.self).baseAddress!,
                digest.count,
                &signature,
                &signatureLength
            )
        }
        guard status == errSecSuccess else { throw NSError(domain: NSOSStatusErrorDomain, code: Int(status)) }
        return Data(bytes: signature, count: signatureLength)
    }

    static func verify(_ signature: Data, of digest: Data, with key: SecKey) -> Bool {
        let (signed, signature) = ([UInt8](digest), [UInt8](signature))
        return SecKeyRawVerify(key, .PKCS1SHA256, signed, signed.count, signature, signature.count)
            == errSecSuccess
    }

    static func encrypt(_ text: String, with key: SecKey) -> [UInt8]? {
        let plain = [UInt8](text.utf8)
        var size = SecKeyGetBlockSize(key)
        var cipher = [UInt8](repeating: 0, count: size)
        let status = SecKeyEncrypt(key, SecPadding.PKCS1, plain, plain.count, &cipher, &size)
        return status == noErr ? cipher : nil
    }

    static func decrypt(_ cipher: [UInt8], with key: SecKey) -> String? {
        var size = cipher.count
        var plain = [UInt8](repeating: 0, count: size)
        guard SecKeyDecrypt(key, [], cipher, cipher.count, &plain, &size) != noErr else { return nil }
        size = cipher.count
        guard SecKeyDecrypt(key, .PKCS1, cipher, cipher.count, &plain, &size) == noErr else { return nil }
        return String(bytes: plain[0..<size], encoding: .utf8)
    }
}

struct EarlierTrust {
    let trust: SecTrust

    func isTrusted() -> Bool {
        var result = SecTrustResultType.invalid
        guard SecTrustEvaluate(trust, &result) == errSecSuccess else { return false }
        return [.proceed, .unspecified].contains(result)
    }

    func publicKey() -> SecKey? { SecTrustCopyPublicKey(trust) }

    func evaluate(on queue: DispatchQueue, completion: @escaping @Sendable (Bool) -> Void) {
        SecTrustEvaluateAsyncWithError(trust, queue) { _, isTrusted, _ in completion(isTrusted) }
    }

    static func serialNumber(of certificate: SecCertificate) -> Data? {
        SecCertificateCopySerialNumber(certificate) as Data?
    }

    static func publicKey(of certificate: SecCertificate) -> SecKey? {
        SecCertificateCopyPublicKey(certificate)
    }
}
