// SPDX-License-Identifier: Apache-2.0

/// The one error of every layer below the API.
///
/// It has no string in it, so no secret can be in it either, and tests compare it whole.
package struct StatusError: Error, Hashable, Sendable {
    /// The status that the caller of the API gets.
    package let status: Status
    /// Why, for people.
    package let reason: Reason?
    /// Which attribute, by name.
    package let attribute: Attribute?
    /// Which file of the store is at fault.
    package let file: StoreFile?
    /// The result code of SQLite or the number of the system's error, as the reason says.
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

    /// The problem, the file at fault and the remedy.
    ///
    /// It is built from the reason only, so that it cannot contain the caller's data.
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
