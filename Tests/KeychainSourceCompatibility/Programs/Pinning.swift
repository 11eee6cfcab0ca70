// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program pins certificates: it creates a trust object with a policy for a host and with custom
// anchors.

struct Pinning {
    let host: String
    let anchors: [SecCertificate]

    func evaluate(_ certificates: [SecCertificate], at date: Date) -> (isTrusted: Bool, error: Error?) {
        var optional: SecTrust?
        let policy = SecPolicyCreateSSL(true, host as CFString)
        let status = SecTrustCreateWithCertificates(certificates as CFArray, policy, &optional)
        guard status == errSecSuccess, let trust = optional else { return (false, status.asError) }
        SecTrustSetAnchorCertificates(trust, anchors as CFArray)
        SecTrustSetAnchorCertificatesOnly(trust, true)
        SecTrustSetVerifyDate(trust, date as CFDate)
        var error: CFError?
        let isTrusted = SecTrustEvaluateWithError(trust, &error)
        var result = SecTrustResultType.invalid
        SecTrustGetTrustResult(trust, &result)
        switch result {
        case .proceed, .unspecified: return (isTrusted, nil)
        default: return (false, error)
        }
    }

    /// Evaluates and ignores the statuses; without `_ =`, this compiles without warnings, as on Apple's platforms.
    static func evaluateAnyway(_ certificate: SecCertificate) -> SecTrustResultType {
        var optional: SecTrust?
        SecTrustCreateWithCertificates(certificate, SecPolicyCreateBasicX509(), &optional)
        var result = SecTrustResultType.invalid
        guard let trust = optional else { return result }
        SecTrustEvaluateWithError(trust, nil)
        SecTrustEvaluate(trust, nil)
        SecTrustGetTrustResult(trust, &result)
        return result
    }

    static func matches(_ trust: SecTrust, pinned: Set<Data>) -> Bool {
        guard let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] else { return false }
        return chain.contains { CFGetTypeID($0) == SecCertificateGetTypeID() } && !pinned.isEmpty
    }
}
