// SPDX-License-Identifier: Apache-2.0

package import KeychainServices

/// Why a command stops.
///
/// No case may hold a password, nor an operand: one may be a piece of an unquoted password.
package enum Failure: Error, Equatable {
    /// The command line makes no sense.
    case usage(String)
    /// A call answered with a status; the step is what macOS calls it.
    case status(OSStatus, step: String)
    /// The store itself is at fault, and the detail says how.
    case store(OSStatus, step: String, detail: String)
    /// Anything else, with the result to end with.
    case message(String, result: Int32)

    /// What the command returns; the low byte becomes the exit code.
    var result: Int32 {
        switch self {
        case .usage: 2
        case .status(let status, _), .store(let status, _, _): status
        case .message(_, let result): result
        }
    }
}
