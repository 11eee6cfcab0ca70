// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

/// Returns the start of a certificate's validity period.
///
/// - Parameter certificate: The certificate.
/// - Returns: The date, never `nil`: every certificate has one.
///
/// Source: Apple, *SecCertificateCopyNotValidBeforeDate(_:)*.
@discardableResult
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
    certificate.notValidBefore as NSDate
}

/// Returns the end of a certificate's validity period.
///
/// - Parameter certificate: The certificate.
/// - Returns: The date, never `nil`: every certificate has one.
///
/// Source: Apple, *SecCertificateCopyNotValidAfterDate(_:)*.
@discardableResult
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
    certificate.notValidAfter as NSDate
}

extension SecCertificate {
    var notValidBefore: Date { Date(timeIntervalSinceReferenceDate: content.notBefore) }
    var notValidAfter: Date { Date(timeIntervalSinceReferenceDate: content.notAfter) }
}
