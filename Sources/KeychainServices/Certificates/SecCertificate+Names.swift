// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

/// Returns a summary of a certificate for display; do not base decisions on it.
///
/// The summary is the first of these that the certificate has: its common names, last to first and separated
/// by commas, with the subject's description in parentheses if there is one; its first email address; its
/// first DNS name; the organizational units; the organizations; all other attributes of the subject.
///
/// - Parameter certificate: The certificate.
/// - Returns: The summary, or `nil` if the certificate has no readable name.
///
/// Source: Apple, *SecCertificateCopySubjectSummary(_:)*.
@discardableResult
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
    certificate.content.summary.map { NSString(string: $0) }
}

/// Returns the normalized name of a certificate's issuer, in DER.
///
/// Each PrintableString is converted to upper case and trimmed, and each run of spaces in it becomes one
/// space. `kSecAttrIssuer` of an item contains this name without the tag and length of the outer SEQUENCE.
///
/// - Parameter certificate: The certificate.
/// - Returns: A SEQUENCE, never `nil`; an empty one if the name is empty.
///
/// Source: Apple, *SecCertificateCopyNormalizedIssuerSequence(_:)*.
@discardableResult
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
    NSData(data: certificate.content.normalizedIssuer.sequence)
}

/// Returns the normalized name of a certificate's subject, in DER.
///
/// `kSecAttrSubject` of an item contains this name without the tag and length of the outer SEQUENCE.
///
/// - Parameter certificate: The certificate.
/// - Returns: A SEQUENCE, never `nil`; an empty one if the name is empty.
///
/// Source: Apple, *SecCertificateCopyNormalizedSubjectSequence(_:)*.
@discardableResult
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
    NSData(data: certificate.content.normalizedSubject.sequence)
}

/// Returns the last common name of a certificate's subject, which is the most specific.
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

/// Returns a certificate's email addresses: from its subject alternative names, then from its subject.
///
/// - Parameters:
///   - certificate: The certificate.
///   - emailAddresses: Receives an array of strings, empty if the certificate names no address.
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
