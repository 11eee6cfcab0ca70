// SPDX-License-Identifier: Apache-2.0

/// The public key of the certificate that the trust object is about, whether it is trusted or not.
///
/// Nothing is evaluated.
///
/// - Parameter trust: The trust object.
/// - Returns: The key; `nil` where it is of a kind that is not supported, or malformed.
///
/// Source: Apple, *SecTrustCopyKey(_:)*.
@discardableResult
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? {
    trust.state.certificates.first.flatMap { SecCertificateCopyKey($0) }
}

/// The public key of the certificate that the trust object is about; deprecated on Apple's platforms in favour of
/// ``SecTrustCopyKey(_:)``.
///
/// - Parameter trust: The trust object.
/// - Returns: As ``SecTrustCopyKey(_:)``.
///
/// Source: Apple, *SecTrustCopyPublicKey(_:)*.
@discardableResult
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }
