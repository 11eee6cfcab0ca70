// SPDX-License-Identifier: Apache-2.0

public import Foundation

// The results are implicitly unwrapped, as Swift imports them on Apple's platforms: code written there converts them
// with `as String`, which an optional does not allow.

/// The name of what gave an error its code.
public typealias CFErrorDomain = CFString

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

extension NSError {
    /// The error of a status, with the status's sentence.
    convenience init(status: OSStatus) {
        let sentence = SecCopyErrorMessageString(status, nil).map { [NSLocalizedDescriptionKey: String($0)] }
        self.init(domain: NSOSStatusErrorDomain, code: Int(status), userInfo: sentence ?? [:])
    }
}
