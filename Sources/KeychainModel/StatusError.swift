// SPDX-License-Identifier: Apache-2.0

/// The error type of every layer below the API.
///
/// An error contains no string, so it cannot leak a secret, and tests can compare it as a whole.
package struct StatusError: Error, Hashable, Sendable {
    /// The status returned to the API's caller.
    package let status: Status
    /// The cause, for error messages.
    package let reason: Reason?
    /// The attribute at fault.
    package let attribute: Attribute?
    /// The store file at fault.
    package let file: StoreFile?
    /// The SQLite result code, the `errno` or another number, depending on the reason.
    package let code: Int32?

    package init(
        _ status: Status,
        _ reason: Reason? = nil,
        attribute: Attribute? = nil,
        file: StoreFile? = nil,
        code: Int32? = nil
    ) {
        self.status = status
        self.reason = reason
        self.attribute = attribute
        self.file = file
        self.code = code
    }

    /// The problem, the file at fault and the remedy, as text.
    ///
    /// The text is derived from the reason, the status, the file and the code, so it cannot contain the caller's
    /// data.
    package var explanation: Explanation {
        guard let reason else { return Explanation(status.rule?.message ?? "OSStatus \(status.rawValue)") }
        let explanation = reason.explanation(of: file)
        guard let code else { return explanation }
        if reason == .tooManyGuesses {
            return Explanation(explanation.problem, "the next attempt is allowed in \(code) s")
        }
        return Explanation("\(explanation.problem) (code \(code))", explanation.remedy)
    }
}
