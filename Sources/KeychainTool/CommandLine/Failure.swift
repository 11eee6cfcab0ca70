// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The reason why a command stops.
///
/// No case contains a password, and none contains an operand that may be a piece of an unquoted password. Names of
/// files to read or write are the exception: a message must identify the file.
package enum Failure: Error, Equatable {
    /// The command line is invalid.
    case usage(String)
    /// A call failed with a status, and a reason if known.
    ///
    /// The message starts with `step`, the name of a macOS function or of the command.
    case status(Status, step: String, reason: StatusError? = nil)
    /// A call failed with a status, and `detail` says more than the status, for example why the store is unavailable.
    case store(Status, step: String, detail: String)
    /// A failure with a status and no detail about the store: for example, a file is malformed or contains duplicates.
    ///
    /// If a file to import is the cause, `step` contains its name.
    case file(Status, step: String)
    /// The messages have already been printed; only the exit code remains to be set.
    case said(result: Int32)
    /// Any other failure, with a message and the result.
    case message(String, result: Int32)

    /// The result of the command; its low byte is the exit code.
    var result: Int32 {
        switch self {
        case .usage: 2
        case .status(let status, _, _), .store(let status, _, _), .file(let status, _): status.rawValue
        case .said(let result), .message(_, let result): result
        }
    }
}
