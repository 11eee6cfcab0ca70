// SPDX-License-Identifier: Apache-2.0

import Foundation
@preconcurrency import Security

// This sample program evaluates trust like a networking library: options made of the revocation constants,
// policies applied one after the other, extensions of the framework's types, and exceptions that the user
// accepts.

struct RevocationOptions: OptionSet, Sendable {
    let rawValue: CFOptionFlags

    static let ocsp = RevocationOptions(rawValue: kSecRevocationOCSPMethod)
    static let crl = RevocationOptions(rawValue: kSecRevocationCRLMethod)
    static let preferCRL = RevocationOptions(rawValue: kSecRevocationPreferCRL)
    static let required = RevocationOptions(rawValue: kSecRevocationRequirePositiveResponse)
    static let offline = RevocationOptions(rawValue: kSecRevocationNetworkAccessDisabled)
    static let any = RevocationOptions(rawValue: kSecRevocationUseAnyAvailableMethod)
}

enum TrustFailure: Error {
    case noPolicy
    case cannotApply(SecPolicy, OSStatus)
    case failed((any Error)?)
}

protocol TrustEvaluating: Sendable {
    func evaluate(_ trust: SecTrust, for host: String) throws
}

final class RevocationEvaluator: TrustEvaluating {
    private let options: RevocationOptions

    init(_ options: RevocationOptions = .any) { self.options = options }

    func evaluate(_ trust: SecTrust, for host: String) throws {
        try trust.evaluate(after: SecPolicyCreateSSL(true, host as CFString))
        guard let policy = SecPolicyCreateRevocation(options.rawValue) else { throw TrustFailure.noPolicy }
        try trust.evaluate(after: policy)
    }
}

extension SecTrust {
    func evaluate(after policy: SecPolicy) throws {
        let status = SecTrustSetPolicies(self, policy)
        guard status == errSecSuccess else { throw TrustFailure.cannotApply(policy, status) }
        var error: CFError?
        guard SecTrustEvaluateWithError(self, &error) else { throw TrustFailure.failed(error) }
    }

    /// Evaluates trust as code did before `SecTrustEvaluateWithError`, and creates an error from the result.
    func earlierError() -> CFError? {
        var result: SecTrustResultType = .unspecified
        SecTrustEvaluate(self, &result)
        guard result != .unspecified && result != .proceed else { return nil }
        return CFErrorCreate(kCFAllocatorDefault, "TrustFailure" as NSString?, Int(result.rawValue), nil)
    }

    /// Accepts the failures of the trust object, as when the user clicks "continue".
    func trustAnyway() -> Bool {
        var result = SecTrustResultType.otherError
        SecTrustEvaluate(self, &result)
        if result == .recoverableTrustFailure {
            SecTrustSetExceptions(self, SecTrustCopyExceptions(self))
            SecTrustEvaluate(self, &result)
        }
        return result == .proceed
    }

    var isExtended: Bool {
        let facts = SecTrustCopyResult(self) as NSDictionary?
        guard let extended = facts?[kSecTrustExtendedValidation] else { return false }
        return (extended as! CFBoolean) == kCFBooleanTrue
    }

    var resultValue: Int? {
        (SecTrustCopyResult(self) as? [String: Any])?[kSecTrustResultValue as String] as? Int
    }
}

extension SecCertificate {
    /// Returns the identity of this certificate, whose private key is in the keychain.
    func identity() throws -> SecIdentity {
        var identity: SecIdentity?
        let status = SecIdentityCreateWithCertificate(nil, self, &identity)
        guard status == errSecSuccess, let found = identity else {
            throw NSError(domain: NSOSStatusErrorDomain, code: Int(status))
        }
        return found
    }
}
