// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Creates a trust object for a certificate.
///
/// - Parameters:
///   - certificates: The certificate to evaluate, or an array: first this certificate, then possible
///     intermediate certificates.
///   - policies: A policy or an array of policies, all of which must be satisfied. `nil` and an empty array
///     select the policy of ``SecPolicyCreateBasicX509()``.
///   - trust: Receives the trust object, unchanged on failure.
/// - Returns: `errSecSuccess`, or `errSecParam` if there is no certificate or an argument contains objects of
///   another class.
///
/// Source: Apple, *SecTrustCreateWithCertificates(_:_:_:)*. Differs: the package trait `Trust` must be
/// enabled; without it every evaluation fails with `errSecUnimplemented`. Differs: nothing is fetched from
/// the network, so intermediate certificates must be supplied, and revocation is not checked. Differs: an
/// anchor without the CA flag is itself not trusted.
@discardableResult
public func SecTrustCreateWithCertificates(
    _ certificates: CFTypeRef,
    _ policies: CFTypeRef?,
    _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
    guard let certificates = objects(certificates, of: SecCertificate.self), !certificates.isEmpty,
        let policies = policies.map({ objects($0, of: SecPolicy.self) }) ?? []
    else { return errSecParam }
    unsafe trust.pointee = SecTrust(certificates: certificates, policies: policies)
    return errSecSuccess
}

/// Replaces the policies of a trust object.
///
/// - Parameters:
///   - trust: The trust object.
///   - policies: A policy or an array of them, all of which must be satisfied.
/// - Returns: `errSecSuccess`, or `errSecParam` if the array is empty or contains anything but policies;
///   in this case, nothing changes.
///
/// Source: Apple, *SecTrustSetPolicies(_:_:)*.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
    guard let policies = objects(policies, of: SecPolicy.self), !policies.isEmpty else { return errSecParam }
    trust.change { $0.policies = policies }
    return errSecSuccess
}

/// Copies the policies of a trust object into an array.
///
/// - Parameters:
///   - trust: The trust object.
///   - policies: Receives an array of ``SecPolicy``, empty if none was set.
/// - Returns: `errSecSuccess`.
///
/// Source: Apple, *SecTrustCopyPolicies(_:_:)*.
@discardableResult
public func SecTrustCopyPolicies(_ trust: SecTrust, _ policies: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    unsafe policies.pointee = trust.state.policies as NSArray
    return errSecSuccess
}

/// Sets the custom anchors of a trust object, which replace the system roots.
///
/// To accept custom anchors and system roots, call ``SecTrustSetAnchorCertificatesOnly(_:_:)`` with `false`.
///
/// - Parameters:
///   - trust: The trust object.
///   - anchorCertificates: The anchors; with an empty array there are none. `nil` removes all custom anchors,
///     so that only the system roots are trusted.
/// - Returns: `errSecSuccess`, or `errSecParam` if the array contains anything but certificates; in this
///   case, nothing changes.
///
/// Source: Apple, *SecTrustSetAnchorCertificates(_:_:)*.
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus {
    guard let anchorCertificates else {
        trust.change {
            $0.anchors = nil
            $0.anchorsOnly = nil
        }
        return errSecSuccess
    }
    guard let anchors = objects(anchorCertificates, of: SecCertificate.self) else { return errSecParam }
    trust.change { $0.anchors = anchors }
    return errSecSuccess
}

/// Sets whether the system roots are excluded.
///
/// - Parameters:
///   - trust: The trust object.
///   - anchorCertificatesOnly: `true` excludes the system roots; without custom anchors, no certificate is then
///     trusted. `false` uses custom anchors and system roots.
/// - Returns: `errSecSuccess`.
///
/// Source: Apple, *SecTrustSetAnchorCertificatesOnly(_:_:)*.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
    trust.change { $0.anchorsOnly = anchorCertificatesOnly }
    return errSecSuccess
}

/// Copies the custom anchors of a trust object.
///
/// - Parameters:
///   - trust: The trust object.
///   - anchors: Receives an array of ``SecCertificate``; `nil` if none were set.
/// - Returns: `errSecSuccess`.
///
/// Source: Apple, *SecTrustCopyCustomAnchorCertificates(_:_:)*.
@discardableResult
public func SecTrustCopyCustomAnchorCertificates(
    _ trust: SecTrust,
    _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    unsafe anchors.pointee = trust.state.anchors.map { $0 as NSArray }
    return errSecSuccess
}

/// Sets the verify date of a trust object, at which all certificates of the chain must be valid.
///
/// - Parameters:
///   - trust: The trust object.
///   - verifyDate: The date, which evaluations clamp to the years 1 to 9999.
/// - Returns: `errSecSuccess`, or `errSecParam` for an infinite date or NaN; in this case, nothing changes.
///
/// Source: Apple, *SecTrustSetVerifyDate(_:_:)*.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus {
    let seconds = verifyDate.timeIntervalSinceReferenceDate
    guard seconds.isFinite else { return errSecParam }
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    trust.change { $0.date = date }
    return errSecSuccess
}

/// Returns the verify date of a trust object.
///
/// - Parameter trust: The trust object.
/// - Returns: The verify date, or the current date if none was set, in seconds since 2001-01-01 00:00 UTC.
///
/// Source: Apple, *SecTrustGetVerifyTime(_:)*.
@discardableResult
public func SecTrustGetVerifyTime(_ trust: SecTrust) -> CFAbsoluteTime {
    (trust.state.date ?? .now).timeIntervalSinceReferenceDate
}

/// Evaluates a trust object; returns whether its certificate is trusted.
///
/// The call blocks for milliseconds; it is safe to call from any thread and from tasks.
///
/// - Parameters:
///   - trust: The trust object. It is evaluated again only after a change.
///   - error: Receives the reason if the result is `false`; otherwise unchanged. May be `nil`.
/// - Returns: Whether the certificate is trusted; `false` if the evaluation fails.
///
/// The error domain is `NSOSStatusErrorDomain`. The code is `errSecNotTrusted`, `errSecHostNameMismatch`,
/// `errSecInvalidExtendedKeyUsage`, `errSecCertificateExpired`, `errSecCertificateNotValidYet` or
/// `errSecIncompleteCertRevocationCheck`; `errSecDecode` if the certificate is damaged; `errSecNotAvailable`
/// if the system roots cannot be read; `errSecUnimplemented` without the package trait `Trust`.
///
/// Source: Apple, *SecTrustEvaluateWithError(_:_:)*.
@discardableResult
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
    let answer = trust.answer()
    guard answer.status == errSecSuccess else {
        unsafe error?.pointee = NSError(status: answer.status)
        return false
    }
    return true
}

/// Returns the result of the last evaluation, without evaluating the trust object.
///
/// - Parameters:
///   - trust: The trust object.
///   - result: Receives the result; `invalid` if the object has not been evaluated since the last change.
/// - Returns: `errSecSuccess`.
///
/// Source: Apple, *SecTrustGetTrustResult(_:_:)*.
@discardableResult
public func SecTrustGetTrustResult(
    _ trust: SecTrust,
    _ result: UnsafeMutablePointer<SecTrustResultType>
) -> OSStatus {
    unsafe result.pointee = trust.state.answer?.result ?? .invalid
    return errSecSuccess
}

/// Returns the certificate chain up to the anchor; evaluates the trust object if necessary.
///
/// - Parameter trust: The trust object.
/// - Returns: An array of ``SecCertificate``, the certificate itself first. If it is not trusted, these are
///   the supplied certificates; if it is trusted by exception, only the certificate. `nil` if the certificate
///   is damaged or the evaluation failed, as it does without the package trait `Trust`.
///
/// Source: Apple, *SecTrustCopyCertificateChain(_:)*.
@discardableResult
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? {
    let chain = trust.answer().chain
    return chain.isEmpty ? nil : chain as NSArray
}

/// Returns the length of the certificate chain; evaluates the trust object if necessary.
///
/// - Parameter trust: The trust object.
/// - Returns: The number of certificates; 1 if the certificate is damaged or the evaluation failed.
///
/// Source: Apple, *SecTrustGetCertificateCount(_:)*.
@discardableResult
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex {
    max(trust.answer().chain.count, 1)
}

/// Returns one certificate of the chain.
///
/// - Parameters:
///   - trust: The trust object, which is evaluated if necessary, except for index 0.
///   - ix: The index in the chain; 0 is the certificate itself.
/// - Returns: The certificate; `nil` if the index is out of range.
///
/// Source: Apple, *SecTrustGetCertificateAtIndex(_:_:)*.
@discardableResult
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
    if ix == 0 { return trust.state.certificates.first }
    let chain = trust.answer().chain
    return chain.indices.contains(ix) ? chain[ix] : nil
}

/// Does nothing: evaluations never fetch anything from the network.
///
/// - Parameters:
///   - trust: The trust object.
///   - allowFetch: Ignored.
/// - Returns: `errSecSuccess`.
///
/// Source: Apple, *SecTrustSetNetworkFetchAllowed(_:_:)*.
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus {
    errSecSuccess
}

/// A Boolean that a function returns through a pointer.
public typealias DarwinBoolean = ObjCBool

/// Returns whether missing certificates are fetched from the network, which is never the case.
///
/// - Parameters:
///   - trust: The trust object.
///   - allowFetch: Receives `false`.
/// - Returns: `errSecSuccess`.
///
/// Source: Apple, *SecTrustGetNetworkFetchAllowed(_:_:)*.
@discardableResult
public func SecTrustGetNetworkFetchAllowed(
    _ trust: SecTrust,
    _ allowFetch: UnsafeMutablePointer<DarwinBoolean>
) -> OSStatus {
    unsafe allowFetch.pointee = false
    return errSecSuccess
}

/// Converts an argument that is one object of a class or an array of them; `nil` for other objects.
private func objects<Object: NSObject>(_ argument: CFTypeRef, of type: Object.Type) -> [Object]? {
    if let object = argument as? Object { return [object] }
    guard let members = argument as? NSArray else { return nil }
    let objects = members.objects.compactMap { $0 as? Object }
    return objects.count == members.count ? objects : nil
}
