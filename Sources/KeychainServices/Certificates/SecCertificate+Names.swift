// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

/// What the user would call the certificate: for display, never to decide by.
///
/// The first of these that the certificate has: its common names, the last first and separated by commas, with the
/// subject's description in parentheses if there is one; its first mailbox; its first DNS name; the organizational
/// units; the organizations; whatever else the subject says.
///
/// - Parameter certificate: The certificate.
/// - Returns: The summary, or `nil` if no name of the certificate is a text.
///
/// Source: Apple, *SecCertificateCopySubjectSummary(_:)*.
@discardableResult
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
    certificate.content.summary.map { NSString(string: $0) }
}

/// The issuer's name in the form in which names are compared, as DER.
///
/// Every PrintableString in it is upper-cased, trimmed, and has its inner blanks collapsed to one.
/// `kSecAttrIssuer` of an item holds the same without the tag and length of the outer SEQUENCE.
///
/// - Parameter certificate: The certificate.
/// - Returns: A SEQUENCE, never `nil`; it is empty if the name is.
///
/// Source: Apple, *SecCertificateCopyNormalizedIssuerSequence(_:)*.
@discardableResult
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
    NSData(data: certificate.content.normalizedIssuer.sequence)
}

/// The subject's name in the form in which names are compared, as DER.
///
/// `kSecAttrSubject` of an item holds the same without the tag and length of the outer SEQUENCE.
///
/// - Parameter certificate: The certificate.
/// - Returns: A SEQUENCE, never `nil`; it is empty if the name is.
///
/// Source: Apple, *SecCertificateCopyNormalizedSubjectSequence(_:)*.
@discardableResult
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
    NSData(data: certificate.content.normalizedSubject.sequence)
}

/// The last common name of a certificate's subject, which is the most particular.
///
/// - Parameters:
///   - certificate: The certificate.
///   - commonName: Receives the name, or is left alone on failure.
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

/// The mailboxes of a certificate: those of its alternative names first, then those of its subject.
///
/// - Parameters:
///   - certificate: The certificate.
///   - emailAddresses: Receives an array of strings, empty if there is no mailbox.
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
