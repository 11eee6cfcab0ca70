// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Makes a trust object, which evaluates a certificate.
///
/// - Parameters:
///   - certificates: The certificate, or an array of it and of those that may lie between it and an anchor.
///   - policies: What it must be good for: a policy or an array of them, all of which must hold. `nil` and an empty array
///     stand for ``SecPolicyCreateBasicX509()``.
///   - trust: Receives the trust object, or is left alone on failure.
/// - Returns: `errSecSuccess`, or `errSecParam` if there is no certificate or an argument holds anything else.
///
/// Source: Apple, *SecTrustCreateWithCertificates(_:_:_:)*. Differs: the package trait `Trust` must be enabled; without
/// it every evaluation fails with `errSecUnimplemented`. Differs: nothing is fetched from the network, so
/// certificates between must be given, and nothing is asked about revocation. Differs: an anchor that is not marked as an
/// authority is not trusted itself.
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

/// Replaces what the certificate must be good for.
///
/// - Parameters:
///   - trust: The trust object.
///   - policies: A policy or an array of them, all of which must hold.
/// - Returns: `errSecSuccess`, or `errSecParam` if the array is empty or holds anything else: nothing changes then.
///
/// Source: Apple, *SecTrustSetPolicies(_:_:)*.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
    guard let policies = objects(policies, of: SecPolicy.self), !policies.isEmpty else { return errSecParam }
    trust.change { $0.policies = policies }
    return errSecSuccess
}

/// Copies the policies into an array.
///
/// - Parameters:
///   - trust: The trust object.
///   - policies: Receives an array of ``SecPolicy``, which is empty if none was ever given.
/// - Returns: `errSecSuccess`.
///
/// Source: Apple, *SecTrustCopyPolicies(_:_:)*.
@discardableResult
public func SecTrustCopyPolicies(_ trust: SecTrust, _ policies: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    unsafe policies.pointee = trust.state.policies as NSArray
    return errSecSuccess
}

/// Says where trust begins: with these certificates, and with those of the system only if
/// ``SecTrustSetAnchorCertificatesOnly(_:_:)`` allows it.
///
/// - Parameters:
///   - trust: The trust object.
///   - anchorCertificates: The certificates; of an empty array none is an anchor. `nil` returns to those of the system
///     alone.
/// - Returns: `errSecSuccess`, or `errSecParam` if the array holds anything else: nothing changes then.
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

/// Says whether the roots of the system are left out.
///
/// - Parameters:
///   - trust: The trust object.
///   - anchorCertificatesOnly: `true` leaves them out, even if no other anchors were set: nothing is trusted then.
///     `false` takes both.
/// - Returns: `errSecSuccess`.
///
/// Source: Apple, *SecTrustSetAnchorCertificatesOnly(_:_:)*.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
    trust.change { $0.anchorsOnly = anchorCertificatesOnly }
    return errSecSuccess
}

/// Copies the anchors that were set.
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

/// Sets the moment at which everything must be valid.
///
/// - Parameters:
///   - trust: The trust object.
///   - verifyDate: The moment. Before the year 1 and after 9999 the nearest moment between is taken.
/// - Returns: `errSecSuccess`, or `errSecParam` for a date that is infinite or no number: nothing changes then.
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

/// The moment at which everything must be valid.
///
/// - Parameter trust: The trust object.
/// - Returns: The moment that was set, or else the present one, in seconds since 2001-01-01 00:00 UTC.
///
/// Source: Apple, *SecTrustGetVerifyTime(_:)*.
@discardableResult
public func SecTrustGetVerifyTime(_ trust: SecTrust) -> CFAbsoluteTime {
    (trust.state.date ?? .now).timeIntervalSinceReferenceDate
}

/// Evaluates a trust object: whether its certificate is trusted.
///
/// The call blocks, for milliseconds; it is safe from any thread, also from tasks.
///
/// - Parameters:
///   - trust: The trust object. It is evaluated anew only after something of it has changed.
///   - error: Receives the reason if the answer is `false`, and is left alone otherwise. Pass `nil` to do without.
/// - Returns: Whether the certificate is trusted; `false` if the evaluation fails.
///
/// The error is of the domain `NSOSStatusErrorDomain`. Its code is `errSecNotTrusted`, `errSecHostNameMismatch`,
/// `errSecInvalidExtendedKeyUsage`, `errSecCertificateExpired`, `errSecCertificateNotValidYet` or
/// `errSecIncompleteCertRevocationCheck`; `errSecDecode` if the certificate is damaged; `errSecNotAvailable` if the roots
/// of the system cannot be read; `errSecUnimplemented` without the trait `Trust`.
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

/// The result of the last evaluation; the call makes none.
///
/// - Parameters:
///   - trust: The trust object.
///   - result: Receives the result; `invalid` if there was no evaluation since the last change.
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

/// The certificates from the one that is evaluated to the anchor, after an evaluation if there was none.
///
/// - Parameter trust: The trust object.
/// - Returns: An array of ``SecCertificate``, the certificate itself first. If it is not trusted, these are the
///   certificates that were given; if what is against it was forgiven, itself alone. `nil` if the evaluation failed, as
///   without the trait `Trust`.
///
/// Source: Apple, *SecTrustCopyCertificateChain(_:)*.
@discardableResult
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? {
    let chain = trust.answer().chain
    return chain.isEmpty ? nil : chain as NSArray
}

/// How many certificates ``SecTrustCopyCertificateChain(_:)`` has, after an evaluation if there was none.
///
/// - Parameter trust: The trust object.
/// - Returns: The number, at least 1, also if the evaluation failed.
///
/// Source: Apple, *SecTrustGetCertificateCount(_:)*.
@discardableResult
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex {
    max(trust.answer().chain.count, 1)
}

/// One of the certificates of ``SecTrustCopyCertificateChain(_:)``.
///
/// - Parameters:
///   - trust: The trust object, which is evaluated if it was not, but for the first certificate.
///   - ix: The place in the chain; 0 is the certificate itself.
/// - Returns: The certificate; `nil` beyond the last and for a negative place.
///
/// Source: Apple, *SecTrustGetCertificateAtIndex(_:_:)*.
@discardableResult
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
    if ix == 0 { return trust.state.certificates.first }
    let chain = trust.answer().chain
    return chain.indices.contains(ix) ? chain[ix] : nil
}

/// Allows fetching what is missing from the network; accepted and ignored, because nothing is ever fetched.
///
/// - Parameters:
///   - trust: The trust object.
///   - allowFetch: Has no effect.
/// - Returns: `errSecSuccess`.
///
/// Source: Apple, *SecTrustSetNetworkFetchAllowed(_:_:)*.
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus {
    errSecSuccess
}

/// A truth value that a function leaves behind a pointer.
public typealias DarwinBoolean = ObjCBool

/// Says whether what is missing is fetched from the network: never.
///
/// - Parameters:
///   - trust: The trust object.
///   - allowFetch: Receives `false`, whatever was set.
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

/// The objects of an argument that is one or an array of them; `nil` if anything else is among them.
private func objects<Object: NSObject>(_ argument: CFTypeRef, of type: Object.Type) -> [Object]? {
    if let object = argument as? Object { return [object] }
    guard let members = argument as? NSArray else { return nil }
    let objects = members.objects.compactMap { $0 as? Object }
    return objects.count == members.count ? objects : nil
}
