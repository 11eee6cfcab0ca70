// SPDX-License-Identifier: Apache-2.0

public import Foundation

// The results are implicitly unwrapped, as Swift imports them on Apple's platforms: code written there converts them
// with `as String`, which an optional does not allow.

/// The name of what gave an error its code.
public typealias CFErrorDomain = CFString

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The domain of statuses.
@safe public nonisolated(unsafe) let kCFErrorDomainOSStatus: CFErrorDomain! = "NSOSStatusErrorDomain"

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The domain of the numbers of the system.
@safe public nonisolated(unsafe) let kCFErrorDomainPOSIX: CFErrorDomain! = "NSPOSIXErrorDomain"

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The key of what an error says to people.
@safe public nonisolated(unsafe) let kCFErrorLocalizedDescriptionKey: CFString! = "NSLocalizedDescription"

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The key of why an error says that the call failed.
@safe public nonisolated(unsafe) let kCFErrorLocalizedFailureReasonKey: CFString! =
    "NSLocalizedFailureReason"

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// The key of the error behind an error.
@safe public nonisolated(unsafe) let kCFErrorUnderlyingErrorKey: CFString! = "NSUnderlyingError"

/// Makes an error.
///
/// - Parameters:
///   - allocator: Pass `nil` or `kCFAllocatorDefault`.
///   - domain: What gives the code its meaning.
///   - code: The code.
///   - userInfo: What else is to be said; keys that are no text are left out.
/// - Returns: The error.
public func CFErrorCreate(
    _ allocator: CFAllocator?,
    _ domain: CFErrorDomain?,
    _ code: CFIndex,
    _ userInfo: CFDictionary?
) -> CFError! {
    let said = (userInfo ?? [:]).reduce(into: [String: Any]()) { said, pair in
        if let key = pair.key as? String { said[key] = pair.value }
    }
    return NSError(domain: domain.map { String($0) } ?? "", code: code, userInfo: said)
}

/// The domain of an error's code: for the functions of this module that of `OSStatus`.
public func CFErrorGetDomain(_ err: CFError?) -> CFErrorDomain! { err.map { NSString(string: $0.domain) } }

/// The code of an error: for the functions of this module a status.
public func CFErrorGetCode(_ err: CFError?) -> CFIndex { err?.code ?? 0 }

/// What else an error says, which may be nothing.
public func CFErrorCopyUserInfo(_ err: CFError?) -> CFDictionary! { err.map { $0.userInfo as NSDictionary } }

/// What an error says to people, which is never nothing.
public func CFErrorCopyDescription(_ err: CFError?) -> CFString! {
    err.map { NSString(string: $0.localizedDescription) }
}

/// Why an error says that the call failed; `nil` where it does not say.
public func CFErrorCopyFailureReason(_ err: CFError?) -> CFString! {
    (err?.localizedFailureReason).map { NSString(string: $0) }
}

/// What an error suggests to do; `nil` where it does not say.
public func CFErrorCopyRecoverySuggestion(_ err: CFError?) -> CFString! {
    (err?.localizedRecoverySuggestion).map { NSString(string: $0) }
}

extension NSError {
    /// The error of a status, with the status's sentence.
    convenience init(status: OSStatus) {
        let sentence = SecCopyErrorMessageString(status, nil).map { [NSLocalizedDescriptionKey: String($0)] }
        self.init(domain: NSOSStatusErrorDomain, code: Int(status), userInfo: sentence ?? [:])
    }
}
