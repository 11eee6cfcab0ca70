// SPDX-License-Identifier: Apache-2.0

/// A name that is not empty.
public struct Identifier: CustomStringConvertible, Sendable {
    private let name: String

    /// Takes a name; fails if there is none, or if it is empty.
    ///
    /// - Parameter string: The name.
    public init?(nonEmpty string: String?) {
        guard let string, !string.isEmpty else { return nil }
        name = string
    }

    /// The name of an access group, which is never empty.
    init(_ group: SharedGroupIdentifier) { name = group.description }

    /// The name.
    public var description: String { name }
}
