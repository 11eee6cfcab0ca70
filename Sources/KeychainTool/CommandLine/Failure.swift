// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Why a command stops.
///
/// No case may hold a password, nor an operand: one may be a piece of an unquoted password. The name of a file that was
/// to be read or written is the exception, because nobody could tell otherwise which of several was meant.
package enum Failure: Error, Equatable {
    /// The command line makes no sense.
    case usage(String)
    /// A call returned a status, with its reason if known; `step` is the name of macOS's function.
    case status(Status, step: String, reason: StatusError? = nil)
    /// The store itself is at fault, and the detail says how.
    case store(Status, step: String, detail: String)
    /// Something that came from outside is at fault, and not the store; the step names the file too.
    case file(Status, step: String)
    /// The complaints are made already.
    case said(result: Int32)
    /// Anything else, with the result to end with.
    case message(String, result: Int32)

    /// What the command returns; the low byte becomes the exit code.
    var result: Int32 {
        switch self {
        case .usage: 2
        case .status(let status, _, _), .store(let status, _, _), .file(let status, _): status.rawValue
        case .said(let result), .message(_, let result): result
        }
    }
}
