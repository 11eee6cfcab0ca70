// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

/// Returns exceptions for all current failures of a certificate.
///
/// Call this function only after the user has seen the failures and decided to continue. The exceptions apply
/// only to this certificate; store them where other users cannot write. An exception for the host name
/// applies to every host: use the exceptions only for the host that the user was asked about.
///
/// - Parameter trust: The trust object. It is evaluated again without existing exceptions, at the date of its
///   last evaluation. Without an evaluation since the last change, the date is the verify date, or now if none
///   was set.
/// - Returns: Data for ``SecTrustSetExceptions(_:_:)``, even if there are no failures; `nil` if the
///   evaluation fails: the certificate is damaged, the system roots cannot be read, or the package trait `Trust` is
///   not enabled.
///
/// Source: Apple, *SecTrustCopyExceptions(_:)*, and Apple's published Security sources. Differs: the format of
/// the data is not that of Apple's platforms. Differs: an exception for a missing chain to an anchor, an expired
/// certificate, or a certificate that is not valid yet applies to every certificate of the chain.
@discardableResult
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? {
    trust.state.neededExceptions().map { NSData(data: $0.bytes) }
}

/// Ignores the failures for which ``SecTrustCopyExceptions(_:)`` returned exceptions.
///
/// Evaluate the trust object afterwards. If the exceptions cover all failures, the certificate is trusted, and
/// the result is `proceed`.
///
/// - Parameters:
///   - trust: The trust object.
///   - exceptions: The exceptions; `nil` removes them.
/// - Returns: Whether the exceptions are for this certificate; `false` for `nil`. If `false`, existing
///   exceptions are removed.
///
/// Source: Apple, *SecTrustSetExceptions(_:_:)*, and Apple's published Security sources.
@discardableResult
public func SecTrustSetExceptions(_ trust: SecTrust, _ exceptions: CFData?) -> Bool {
    var fits = false
    trust.change { state in
        let read = exceptions.flatMap { TrustExceptions(Data(referencing: $0)) }
        fits = read != nil && read?.leaf == state.certificates.first?.content.der
        state.exceptions = fits ? read : nil
    }
    return fits
}

/// The key of the verify date in the result of ``SecTrustCopyResult(_:)``: a date.
@safe public nonisolated(unsafe) let kSecTrustEvaluationDate: CFString = "TrustEvaluationDate"

/// The key of the evaluation's result in the dictionary of ``SecTrustCopyResult(_:)``: a number.
///
/// The number is the raw value of a ``SecTrustResultType``.
@safe public nonisolated(unsafe) let kSecTrustResultValue: CFString = "TrustResultValue"

/// The key for whether the certificate has extended validation; never in a result here.
@safe public nonisolated(unsafe) let kSecTrustExtendedValidation: CFString = "TrustExtendedValidation"

/// The key of the organization of a certificate with extended validation; never in a result here.
@safe public nonisolated(unsafe) let kSecTrustOrganizationName: CFString = "Organization"

/// The key for whether revocation was checked; never in a result here.
@safe public nonisolated(unsafe) let kSecTrustRevocationChecked: CFString = "TrustRevocationChecked"

/// The key of the expiration date of the revocation status; never in a result here.
@safe public nonisolated(unsafe) let kSecTrustRevocationValidUntilDate: CFString = "TrustExpirationDate"

/// The key for whether the certificate is in certificate transparency logs; never in a result here.
@safe public nonisolated(unsafe) let kSecTrustCertificateTransparency: CFString =
    "TrustCertificateTransparency"

/// Returns the result of the evaluation and its verify date; evaluates the trust object if necessary.
///
/// - Parameter trust: The trust object.
/// - Returns: A dictionary, never `nil`, with `kSecTrustResultValue`, a number, and
///   `kSecTrustEvaluationDate`, a date. If the evaluation failed, the number is `otherError`'s raw value.
///
/// Source: Apple, *SecTrustCopyResult(_:)*, and Apple's published Security sources. Differs: extended
/// validation, revocation and certificate transparency are not checked, and the failures of each certificate,
/// whose dictionary key Apple does not export, are omitted.
@discardableResult
public func SecTrustCopyResult(_ trust: SecTrust) -> CFDictionary? {
    let answer = trust.answer()
    let result: NSMutableDictionary = [kSecTrustResultValue: NSNumber(value: answer.result.rawValue)]
    if let date = answer.date {
        result[kSecTrustEvaluationDate] = NSDate(
            timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate
        )
    }
    return result
}
