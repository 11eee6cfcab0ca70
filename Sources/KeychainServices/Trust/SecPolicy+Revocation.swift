// SPDX-License-Identifier: Apache-2.0

import KeychainObjects

/// Selects revocation checks with OCSP, which are not performed here.
public let kSecRevocationOCSPMethod: CFOptionFlags = 1 << 0

/// Selects revocation checks with certificate revocation lists (CRLs), which are not performed here.
public let kSecRevocationCRLMethod: CFOptionFlags = 1 << 1

/// Selects CRLs before OCSP; without effect here, because neither is consulted.
public let kSecRevocationPreferCRL: CFOptionFlags = 1 << 2

/// Requires an answer that the certificate is not revoked; here, no certificate satisfies this.
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 1 << 3

/// Forbids network access, which revocation checks never use here.
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 1 << 4

/// Selects both methods: OCSP and CRLs.
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
/// `kSecRevocationRequirePositiveResponse` always fails: with `errSecIncompleteCertRevocationCheck` if the
/// certificate satisfies all other requirements.
@discardableResult
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
    revocationFlags == 0 ? nil : SecPolicy(.revocation(flags: revocationFlags))
}
