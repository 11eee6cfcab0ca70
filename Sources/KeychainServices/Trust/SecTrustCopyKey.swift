// SPDX-License-Identifier: Apache-2.0

/// Returns the public key of the certificate to evaluate, whether it is trusted or not.
///
/// The call does not evaluate the trust object.
///
/// - Parameter trust: The trust object.
/// - Returns: The key; `nil` if it is malformed or unsupported.
///
/// Source: Apple, *SecTrustCopyKey(_:)*.
@discardableResult
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? {
    trust.state.certificates.first.flatMap { SecCertificateCopyKey($0) }
}

/// Deprecated alias of ``SecTrustCopyKey(_:)``.
///
/// - Parameter trust: The trust object.
/// - Returns: As ``SecTrustCopyKey(_:)``.
///
/// Source: Apple, *SecTrustCopyPublicKey(_:)*.
@discardableResult
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }
