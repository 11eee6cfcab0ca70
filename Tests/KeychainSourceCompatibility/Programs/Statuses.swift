// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program handles statuses as errors: with extensions of `OSStatus`, localized errors and
// switches.

extension OSStatus {
    var message: String { (SecCopyErrorMessageString(self, nil) as String?) ?? "Status \(self)" }
    var asError: NSError? {
        guard self != errSecSuccess else { return nil }
        let message = SecCopyErrorMessageString(self, nil) as String? ?? "Unknown error"
        return NSError(
            domain: NSOSStatusErrorDomain,
            code: Int(self),
            userInfo: [NSLocalizedDescriptionKey: message]
        )
    }
}

enum SimpleError: LocalizedError, Equatable {
    case itemNotFound
    case duplicateItem
    case invalidItemFormat
    case locked
    case unexpectedStatus(OSStatus)

    init?(_ status: OSStatus) {
        switch status {
        case errSecSuccess: return nil
        case errSecItemNotFound, errSecNoSuchKeychain: self = .itemNotFound
        case errSecDuplicateItem: self = .duplicateItem
        case errSecDecode, errSecParam: self = .invalidItemFormat
        case errSecInteractionNotAllowed, errSecAuthFailed, errSecUserCanceled: self = .locked
        case errSecMissingEntitlement, errSecUnimplemented, errSecAllocate, errSecNotAvailable, errSecIO,
            errSecOpWr,
            errSecBadReq, errSecInternalComponent:
            self = .unexpectedStatus(status)
        default: self = .unexpectedStatus(status)
        }
    }

    var errorDescription: String? {
        switch self {
        case .itemNotFound: return errSecItemNotFound.message
        case .duplicateItem: return errSecDuplicateItem.message
        case .invalidItemFormat: return "Invalid format"
        case .locked: return "Locked"
        case .unexpectedStatus(let status): return SecCopyErrorMessageString(status, nil)! as String
        }
    }
}

/// Returns a name for a status, as in code that lists the statuses of Apple's header.
func name(of status: OSStatus) -> String {
    switch status {
    case errSecServiceNotAvailable: return "service not available"
    case errSecInsufficientClientID, errSecDeviceReset, errSecDeviceFailed: return "device"
    case errSecInvalidKeyBlob, errSecIncompatibleKeyBlob, errSecInvalidDatabaseBlob: return "blob"
    case errSecCRLExpired, errSecCRLNotFound, errSecInvalidCRLAuthority: return "revocation list"
    case errSecOCSPUnavailable, errSecOCSPResponderTryLater: return "responder"
    case errSecInvalidAttributeSalt, errSecMissingAttributeSalt: return "salt"
    case errSecCertificateRevoked, errSecCertificateIsCA, errSecCertificateDuplicateExtension:
        return "certificate"
    case errSecTimestampMissing, errSecTimestampNotTrusted: return "time stamp"
    default: return "\(status)"
    }
}
