// SPDX-License-Identifier: Apache-2.0

/// The one error of every layer below the API.
///
/// It has no string in it, so no secret can be in it either; it crosses a socket unchanged and tests compare it whole.
package struct KeychainError: Error, Hashable, Codable, Sendable {
    /// The status that the caller of the API gets.
    package let status: Status
    /// Why, for people.
    package let reason: Reason?
    /// Which attribute, by name.
    package let attribute: Attribute?
    /// The result code of SQLite or the number of the system's error, as the reason says.
    package let code: Int32?

    package init(_ status: Status, _ reason: Reason? = nil, attribute: Attribute? = nil, code: Int32? = nil) {
        self.status = status
        self.reason = reason
        self.attribute = attribute
        self.code = code
    }
}
