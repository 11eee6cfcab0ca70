// SPDX-License-Identifier: Apache-2.0

import KeychainObjects

/// Check revocation with OCSP.
public let kSecRevocationOCSPMethod: CFOptionFlags = 1 << 0

/// Check revocation with certificate revocation lists.
public let kSecRevocationCRLMethod: CFOptionFlags = 1 << 1

/// Prefer certificate revocation lists to OCSP.
public let kSecRevocationPreferCRL: CFOptionFlags = 1 << 2

/// Require a positive response about the revocation status.
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 1 << 3

/// Do not access the network.
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 1 << 4

/// Use any available method.
public let kSecRevocationUseAnyAvailableMethod: CFOptionFlags =
    kSecRevocationOCSPMethod | kSecRevocationCRLMethod

/// Creates a policy that checks whether certificates are revoked.
///
/// - Parameter revocationFlags: The methods to use: at least one of the `kSecRevocation…` constants.
/// - Returns: The policy; `nil` for 0.
///
/// The policy also requires that the certificate chains to an anchor. Without
/// `kSecRevocationRequirePositiveResponse`, a missing response is not a failure.
///
/// Source: Apple, *SecPolicyCreateRevocation(_:)*. Differs: no OCSP or CRL is consulted, so an evaluation with
/// `kSecRevocationRequirePositiveResponse` always fails with `errSecIncompleteCertRevocationCheck`.
@discardableResult
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
    revocationFlags == 0 ? nil : SecPolicy(.revocation(flags: revocationFlags))
}
