// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

/// The moment at which a certificate begins to be valid.
///
/// - Parameter certificate: The certificate.
/// - Returns: The date, never `nil`: what has none is no certificate.
///
/// Source: Apple, *SecCertificateCopyNotValidBeforeDate(_:)*.
@discardableResult
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
    certificate.notValidBefore as NSDate
}

/// The last moment at which a certificate is valid.
///
/// - Parameter certificate: The certificate.
/// - Returns: The date, never `nil`.
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
