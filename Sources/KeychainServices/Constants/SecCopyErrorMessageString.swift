// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel

/// Returns the message for a status.
///
/// - Parameters:
///   - status: A status that a function of this module returned.
///   - reserved: Pass `nil`.
/// - Returns: The message of macOS for the status. For statuses that no function of this module returns, it
///   can be `OSStatus` and the number.
///
/// Source: Apple, *SecCopyErrorMessageString(_:_:)*. Differs: messages are English in every locale.
@discardableResult
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    NSString(string: Status(rawValue: status).rule?.message ?? "OSStatus \(status)")
}
