// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Results are implicitly unwrapped optionals, as Swift imports them on Apple's platforms: code for these
// platforms converts them with `as String`, which does not compile for an optional.

/// The domain of an error, which determines the meaning of its code.
public typealias CFErrorDomain = CFString

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The error domain of `OSStatus` codes.
@safe public nonisolated(unsafe) let kCFErrorDomainOSStatus: CFErrorDomain! = "NSOSStatusErrorDomain"

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The error domain of `errno` codes.
@safe public nonisolated(unsafe) let kCFErrorDomainPOSIX: CFErrorDomain! = "NSPOSIXErrorDomain"

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The `userInfo` key of an error's description for the user: a string.
@safe public nonisolated(unsafe) let kCFErrorLocalizedDescriptionKey: CFString! = "NSLocalizedDescription"

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The `userInfo` key of the reason for the failure: a string.
@safe public nonisolated(unsafe) let kCFErrorLocalizedFailureReasonKey: CFString! =
    "NSLocalizedFailureReason"

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The `userInfo` key of the error that caused an error.
@safe public nonisolated(unsafe) let kCFErrorUnderlyingErrorKey: CFString! = "NSUnderlyingError"

/// Creates an error.
///
/// - Parameters:
///   - allocator: Pass `nil` or `kCFAllocatorDefault`.
///   - domain: The error domain.
///   - code: The error code, whose meaning depends on the domain.
///   - userInfo: The user info; keys that are not strings are omitted.
/// - Returns: The error.
public func CFErrorCreate(
    _ allocator: CFAllocator?,
    _ domain: CFErrorDomain?,
    _ code: CFIndex,
    _ userInfo: CFDictionary?
) -> CFError! {
    let stringKeyed = (userInfo ?? [:]).reduce(into: [String: Any]()) { stringKeyed, pair in
        if let key = pair.key as? String { stringKeyed[key] = pair.value }
    }
    return NSError(domain: domain.map { String($0) } ?? "", code: code, userInfo: stringKeyed)
}

/// Returns the domain of an error; `kCFErrorDomainOSStatus` for errors of the `Sec` functions.
public func CFErrorGetDomain(_ err: CFError?) -> CFErrorDomain! { err.map { NSString(string: $0.domain) } }

/// Returns the code of an error; an `OSStatus` for errors of the `Sec` functions.
public func CFErrorGetCode(_ err: CFError?) -> CFIndex { err?.code ?? 0 }

/// Returns the user info of an error, which may be empty.
public func CFErrorCopyUserInfo(_ err: CFError?) -> CFDictionary! { err.map { $0.userInfo as NSDictionary } }

/// Returns the description of an error for the user; a generic one if the error contains none.
public func CFErrorCopyDescription(_ err: CFError?) -> CFString! {
    err.map { NSString(string: $0.localizedDescription) }
}

/// Returns the reason for the failure; `nil` if the error has none.
public func CFErrorCopyFailureReason(_ err: CFError?) -> CFString! {
    (err?.localizedFailureReason).map { NSString(string: $0) }
}

/// Returns the recovery suggestion; `nil` if the error has none.
public func CFErrorCopyRecoverySuggestion(_ err: CFError?) -> CFString! {
    (err?.localizedRecoverySuggestion).map { NSString(string: $0) }
}

extension NSError {
    /// Creates an error of the `OSStatus` domain whose code is a status, with the message of the status.
    convenience init(status: OSStatus) {
        let userInfo = SecCopyErrorMessageString(status, nil).map { [NSLocalizedDescriptionKey: String($0)] }
        self.init(domain: NSOSStatusErrorDomain, code: Int(status), userInfo: userInfo ?? [:])
    }
}
