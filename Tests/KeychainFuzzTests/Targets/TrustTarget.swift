// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// Evaluates trust in untrusted certificates with stored exceptions.
///
/// The input is a line with the host name, a line with a date, exceptions and certificates, each with a length
/// prefix; the last certificate is the anchor. Without the package trait `Trust` nothing is evaluated.
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
    // The last certificate is the only anchor: the system roots would take long to parse.
    SecTrustSetAnchorCertificates(trust, certificates.suffix(1) as NSArray)
    SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceReferenceDate: date))
    if SecTrustSetExceptions(trust, kept) { precondition(kept.length > 2) }
    checkTrust(trust)
    guard let own = SecTrustCopyExceptions(trust) else { return }
    // Exceptions copied from the trust object must cover all its failures.
    precondition(SecTrustSetExceptions(trust, own))
    precondition(checkTrust(trust))
}

/// Evaluates the trust object, and checks that all functions report the same result.
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

private struct TrustInput {
    private var bytes: Data

    init(_ bytes: Data) { self.bytes = bytes }

    mutating func line() -> String {
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        bytes = bytes.dropFirst(line.count + 1)
        return String(decoding: line, as: UTF8.self)
    }

    /// Reads a field with a two-byte length, or the remaining bytes if there are fewer; `nil` if there are fewer than
    /// two bytes.
    mutating func counted() -> Data? {
        guard bytes.count >= 2 else { return nil }
        let count = bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        let taken = Data(bytes.dropFirst(2).prefix(count))
        bytes = bytes.dropFirst(2 + count)
        return taken
    }
}
