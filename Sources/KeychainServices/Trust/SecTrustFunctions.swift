// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Makes a question about a certificate.
///
/// - Parameters:
///   - certificates: The certificate, or an array of it and of those that may lie between it and an anchor.
///   - policies: What it must be good for: a policy or an array of them, all of which must hold. `nil` stands for
///     ``SecPolicyCreateBasicX509()``.
///   - trust: Receives the question.
/// - Returns: `errSecSuccess`, or `errSecParam` if an argument holds anything else.
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

/// Replaces what the certificate must be good for: a policy or an array of them.
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
///   - trust: The question.
///   - anchorCertificates: The certificates; `nil` returns to those of the system.
/// - Returns: `errSecSuccess`, or `errSecParam` if the array holds anything else.
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
/// Source: Apple, *SecTrustSetAnchorCertificatesOnly(_:_:)*.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
    trust.change { $0.anchorsOnly = anchorCertificatesOnly }
    return errSecSuccess
}

/// Copies the anchors that were set; `nil` if none were.
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
///   - trust: The question.
///   - verifyDate: The moment. Before the year 1 and after 9999 the nearest moment between is taken.
/// - Returns: `errSecSuccess`, or `errSecParam` for a date that is infinite or no number.
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

/// The moment at which everything must be valid: the present one if none was set.
///
/// Source: Apple, *SecTrustGetVerifyTime(_:)*.
@discardableResult
public func SecTrustGetVerifyTime(_ trust: SecTrust) -> CFAbsoluteTime {
    (trust.state.date ?? .now).timeIntervalSinceReferenceDate
}

/// Answers the question.
///
/// The call blocks, for milliseconds; it is safe from any thread, also from tasks.
///
/// - Parameters:
///   - trust: The question. It is answered anew only after something of it has changed.
///   - error: Receives the reason if the answer is no. Pass `nil` to do without.
/// - Returns: Whether the certificate is trusted.
///
/// The code of the error is `errSecNotTrusted`, `errSecHostNameMismatch`, `errSecInvalidExtendedKeyUsage`,
/// `errSecCertificateExpired`, `errSecCertificateNotValidYet` or `errSecIncompleteCertRevocationCheck`; `errSecDecode` if
/// the certificate is damaged; `errSecNotAvailable` if the roots of the system cannot be read; `errSecUnimplemented`
/// without the trait `Trust`.
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

/// The last answer; `invalid` if there is none.
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

/// The certificates from the one that was asked about to the anchor, after asking if nobody has.
///
/// Of a certificate that is not trusted these are the certificates that were given. Source: Apple,
/// *SecTrustCopyCertificateChain(_:)*.
@discardableResult
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? {
    let chain = trust.answer().chain
    return chain.isEmpty ? nil : chain as NSArray
}

/// How many certificates lead from the one that was asked about to the anchor, both counted.
///
/// Source: Apple, *SecTrustGetCertificateCount(_:)*.
@discardableResult
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex {
    max(trust.answer().chain.count, 1)
}

/// One of the certificates of ``SecTrustCopyCertificateChain(_:)``; `nil` beyond the last.
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
/// Source: Apple, *SecTrustSetNetworkFetchAllowed(_:_:)*.
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus {
    errSecSuccess
}

/// A truth value that a function leaves behind a pointer.
public typealias DarwinBoolean = ObjCBool

/// Says whether what is missing is fetched from the network: never.
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
