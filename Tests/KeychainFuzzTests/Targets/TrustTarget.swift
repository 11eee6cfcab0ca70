// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// A question about certificates that somebody sent, and what was once forgiven of them.
///
/// The bytes: a line with the host's name, a line with a date, exceptions and certificates, the last of which is the
/// anchor, each after its length. Nothing to ask without the package trait `Trust`.
func fuzzTrust(_ data: Data) {
    var rest = TrustInput(data)
    let host = rest.line()
    let date = Double(rest.line()) ?? 0
    let kept = NSData(data: rest.counted() ?? Data())
    var certificates: [SecCertificate] = []
    while certificates.count < 8, let bytes = rest.counted() {
        guard let certificate = SecCertificateCreateWithData(nil, NSData(data: bytes)) else { continue }
        certificates.append(certificate)
    }
    let policy = host.isEmpty ? SecPolicyCreateBasicX509() : SecPolicyCreateSSL(true, NSString(string: host))
    var made: SecTrust?
    guard SecTrustCreateWithCertificates(certificates as NSArray, policy, &made) == errSecSuccess,
        let trust = made
    else { return precondition(certificates.isEmpty) }
    // The roots of the system are not looked for, which takes long.
    SecTrustSetAnchorCertificates(trust, certificates.suffix(1) as NSArray)
    SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceReferenceDate: date))
    if SecTrustSetExceptions(trust, kept) { precondition(kept.length > 2) }
    checkTrust(trust)
    guard let own = SecTrustCopyExceptions(trust) else { return }
    // Whatever is against it was forgiven.
    precondition(SecTrustSetExceptions(trust, own))
    precondition(checkTrust(trust))
}

/// Answers the question, and sees that all ways to the answer say the same.
@discardableResult
private func checkTrust(_ trust: SecTrust) -> Bool {
    var error: CFError?
    let isTrusted = SecTrustEvaluateWithError(trust, &error)
    var result = SecTrustResultType.invalid
    SecTrustGetTrustResult(trust, &result)
    precondition(isTrusted == (error == nil))
    precondition(isTrusted == (result == .proceed || result == .unspecified))
    precondition(SecTrustCopyResult(trust) != nil && SecTrustGetCertificateCount(trust) > 0)
    return isTrusted
}

/// Bytes that are taken from the front.
private struct TrustInput {
    private var bytes: Data

    init(_ bytes: Data) { self.bytes = bytes }

    mutating func line() -> String {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        bytes = bytes.dropFirst(line.count + 1)
        return String(decoding: line, as: UTF8.self)
    }

    /// What follows a length of two bytes, or what there is of it; `nil` at the end.
    mutating func counted() -> Data? {
        guard bytes.count >= 2 else { return nil }
        let count = bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        let taken = Data(bytes.dropFirst(2).prefix(count))
        bytes = bytes.dropFirst(2 + count)
        return taken
    }
}
