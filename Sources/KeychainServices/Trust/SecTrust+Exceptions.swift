// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainObjects

/// What is against a certificate now, as bytes that forgive it later.
///
/// Ask for it only once the user who has seen what is wrong wants to go on. It binds to the certificate, byte for byte;
/// keep it where nobody else can write. A name that is forgiven is forgiven for every host: use the bytes for the host
/// alone that the person was asked about.
///
/// - Parameter trust: The trust object, which is evaluated anew, without what was forgiven before: at the moment of its
///   last evaluation, or else at the one that was set, or now.
/// - Returns: Bytes for ``SecTrustSetExceptions(_:_:)``, also if nothing is against the certificate; `nil` if the
///   evaluation fails: the certificate is damaged, the roots of the system cannot be read, or the trait `Trust` is not
///   enabled.
///
/// Source: Apple, *SecTrustCopyExceptions(_:)*, and Apple's published Security sources. Differs: the bytes are not those
/// of Apple's platforms. Differs: all that keeps a way from leading to an anchor counts as one and the same, and so does
/// a date that is past, or one to come, whichever certificate of the way has it.
@discardableResult
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? {
    trust.state.neededExceptions().map { NSData(data: $0.bytes) }
}

/// Forgives a certificate what was against it when ``SecTrustCopyExceptions(_:)`` was called.
///
/// The trust object must be evaluated after that. If nothing new is against the certificate, it is trusted, and the
/// result is `proceed`.
///
/// - Parameters:
///   - trust: The trust object.
///   - exceptions: The bytes; `nil` takes back what was forgiven.
/// - Returns: Whether the bytes are of this certificate; `false` for `nil`. If not, nothing is forgiven any more.
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

/// The moment at which everything had to be valid: a date.
@safe public nonisolated(unsafe) let kSecTrustEvaluationDate: CFString = "TrustEvaluationDate"

/// The result: the number of a ``SecTrustResultType``.
@safe public nonisolated(unsafe) let kSecTrustResultValue: CFString = "TrustResultValue"

/// Whether the certificate is of extended validation; never there.
@safe public nonisolated(unsafe) let kSecTrustExtendedValidation: CFString = "TrustExtendedValidation"

/// The organization of a certificate of extended validation; never there.
@safe public nonisolated(unsafe) let kSecTrustOrganizationName: CFString = "Organization"

/// Whether it was asked if a certificate was revoked; never there.
@safe public nonisolated(unsafe) let kSecTrustRevocationChecked: CFString = "TrustRevocationChecked"

/// Until when what was said about that holds; never there.
@safe public nonisolated(unsafe) let kSecTrustRevocationValidUntilDate: CFString = "TrustExpirationDate"

/// Whether the certificate is in public logs; never there.
@safe public nonisolated(unsafe) let kSecTrustCertificateTransparency: CFString =
    "TrustCertificateTransparency"

/// The result with what belongs to it, after an evaluation if there was none.
///
/// - Parameter trust: The trust object.
/// - Returns: A dictionary, never `nil`, of `kSecTrustResultValue`, a number, and `kSecTrustEvaluationDate`, a date. If
///   the evaluation failed the number is that of `otherError`.
///
/// Source: Apple, *SecTrustCopyResult(_:)*, and Apple's published Security sources. Differs: nothing is found out about
/// extended validation, revocation and public logs, and what is against each certificate, which has no public key there, is
/// left out.
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
