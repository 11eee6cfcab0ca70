// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel

/// Returns the message for a status.
///
/// - Parameters:
///   - status: A status that a function of this module returned.
///   - reserved: Pass `nil`.
/// - Returns: The message that macOS has for the status, or `OSStatus` and the number if it has none.
///
/// Source: Apple, *SecCopyErrorMessageString(_:_:)*. Differs: messages are English in every locale.
@discardableResult
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    NSString(string: Status(rawValue: status).rule?.message ?? "OSStatus \(status)")
}
