// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

/// A summary of a certificate for display; do not base decisions on it.
///
/// The first of these that the certificate has: its common names, last to first and separated by commas, with
/// the subject's description in parentheses if there is one; its first email address; its first DNS name; the
/// organizational units; the organizations; all other attributes of the subject.
///
/// - Parameter certificate: The certificate.
/// - Returns: The summary, or `nil` if the certificate has no readable name.
///
/// Source: Apple, *SecCertificateCopySubjectSummary(_:)*.
@discardableResult
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
    certificate.content.summary.map { NSString(string: $0) }
}

/// The normalized name of a certificate's issuer, as DER.
///
/// Each PrintableString is converted to upper case, trimmed, and each run of spaces in it becomes one.
/// `kSecAttrIssuer` of an item contains the same without the tag and length of the outer SEQUENCE.
///
/// - Parameter certificate: The certificate.
/// - Returns: A SEQUENCE, never `nil`; it is empty if the name is.
///
/// Source: Apple, *SecCertificateCopyNormalizedIssuerSequence(_:)*.
@discardableResult
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
    NSData(data: certificate.content.normalizedIssuer.sequence)
}

/// The normalized name of a certificate's subject, as DER.
///
/// `kSecAttrSubject` of an item contains the same without the tag and length of the outer SEQUENCE.
///
/// - Parameter certificate: The certificate.
/// - Returns: A SEQUENCE, never `nil`; it is empty if the name is.
///
/// Source: Apple, *SecCertificateCopyNormalizedSubjectSequence(_:)*.
@discardableResult
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
    NSData(data: certificate.content.normalizedSubject.sequence)
}

/// The most specific common name of a certificate's subject, which is the last.
///
/// - Parameters:
///   - certificate: The certificate.
///   - commonName: Receives the name, unchanged on failure.
/// - Returns: `errSecSuccess`, or `errSecInternal` if the subject has no common name.
///
/// Source: Apple, *SecCertificateCopyCommonName(_:_:)*.
@discardableResult
public func SecCertificateCopyCommonName(
    _ certificate: SecCertificate,
    _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    guard let name = certificate.content.commonNames.last else { return errSecInternal }
    unsafe commonName.pointee = NSString(string: name)
    return errSecSuccess
}

/// The email addresses of a certificate: subject alternative names first, then the subject.
///
/// - Parameters:
///   - certificate: The certificate.
///   - emailAddresses: Receives an array of strings, empty if there is none.
/// - Returns: `errSecSuccess`.
///
/// Source: Apple, *SecCertificateCopyEmailAddresses(_:_:)*.
@discardableResult
public func SecCertificateCopyEmailAddresses(
    _ certificate: SecCertificate,
    _ emailAddresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    unsafe emailAddresses.pointee = certificate.content.emailAddresses as NSArray
    return errSecSuccess
}
