// SPDX-License-Identifier: Apache-2.0

import KeychainObjects

/// The status of a certificate is asked for with OCSP.
public let kSecRevocationOCSPMethod: CFOptionFlags = 1 << 0

/// The status of a certificate is looked for in lists.
public let kSecRevocationCRLMethod: CFOptionFlags = 1 << 1

/// Of both ways the lists come first.
public let kSecRevocationPreferCRL: CFOptionFlags = 1 << 2

/// Somebody must say that the certificate is good.
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 1 << 3

/// Nothing is fetched from the network.
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 1 << 4

/// Either way will do.
public let kSecRevocationUseAnyAvailableMethod: CFOptionFlags =
    kSecRevocationOCSPMethod | kSecRevocationCRLMethod

/// Makes the policy by which nobody has revoked the certificate.
///
/// - Parameter revocationFlags: How that is asked: at least one of the `kSecRevocation…` constants.
/// - Returns: The policy; `nil` for 0.
///
/// By itself the policy also demands that the certificate leads to an anchor. Without
/// `kSecRevocationRequirePositiveResponse`, not to get an answer is no failure.
///
/// Source: Apple, *SecPolicyCreateRevocation(_:)*. Differs: nobody is ever asked, so that with that flag an evaluation
/// always fails with `errSecIncompleteCertRevocationCheck`.
@discardableResult
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
    revocationFlags == 0 ? nil : SecPolicy(.revocation(flags: revocationFlags))
}
