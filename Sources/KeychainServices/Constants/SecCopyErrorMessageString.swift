// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel

/// Says in a sentence what a status means.
///
/// - Parameters:
///   - status: A status that a function of this module returned.
///   - reserved: Pass `nil`.
/// - Returns: The sentence that macOS has for the status, or `OSStatus` and its number if there is none.
///
/// Source: Apple, *SecCopyErrorMessageString(_:_:)*. Differs: the sentences are English in every locale.
@discardableResult
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    NSString(string: Status(rawValue: status).rule?.message ?? "OSStatus \(status)")
}
